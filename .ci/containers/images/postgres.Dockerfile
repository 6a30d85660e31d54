# In place of postgres:17-bookworm: PostgreSQL 17 with Debian's pg_isready, and the variables that compose.yaml and the
# tests set.
FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends postgresql-client-15 locales \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 999 postgres \
  && install -d -o postgres -m 0700 /var/lib/postgresql/data
COPY --from=postgres . /usr/lib/postgresql/17
COPY postgres-entrypoint.sh /usr/local/bin/
ENV PATH=/usr/lib/postgresql/17/bin:$PATH LANG=C.UTF-8
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["postgres-entrypoint.sh"]
CMD ["postgres"]
