# In place of the S3 store: Ceph's gateway over a store in memory, as `npm test` uses it, at port 8333.
FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends radosgw ceph-mon ceph-osd ceph-common curl \
  && rm -rf /var/lib/apt/lists/*
COPY --from=scripts . /radosgw
ENV S3_ADDRESS=0.0.0.0:8333
CMD ["/bin/bash", "-c", "/radosgw/start.sh /store && exec tail --follow /store/log/client.rgw.log"]
