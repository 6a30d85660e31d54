# In place of caddy:2.10-alpine: Caddy 2.6 of Debian.
FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends caddy wget \
  && rm -rf /var/lib/apt/lists/*
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
WORKDIR /srv
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
