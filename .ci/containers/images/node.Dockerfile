# In place of node:22-bookworm-slim.
FROM debian:bookworm-slim
COPY --from=node bin/node /usr/local/bin/node
COPY --from=npm . /usr/local/lib/node_modules/npm
# Those that this machine trusts: the way to the registry may be its own.
COPY --from=certificates ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
CMD ["node"]
