# docker build -t doorlist . && docker run -p 3000:3000 -v doorlist:/data doorlist
#
# Other bases: --build-arg BUILD_IMAGE=… (Node 20.19, 22.12 or newer with npm, ldd and libatomic), --build-arg RUNTIME_IMAGE=… (glibc,
# libstdc++ and certificates). What runs is the Node that package-lock.json pins.
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && bin/node build/container.ts /image

FROM ${RUNTIME_IMAGE}
COPY --from=build /image/usr/local/ /usr/local/
COPY --from=build /image/app/ /app/
COPY --from=build --chown=65532:65532 /image/data/ /data/
ENV HOST=0.0.0.0 DOORLIST_DATA_DIR=/data UV_THREADPOOL_SIZE=16 MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 NODE_OPTIONS=--max-semi-space-size=16 LD_LIBRARY_PATH=/usr/local/lib
WORKDIR /data
USER 65532:65532
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["/usr/local/bin/node", "/app/health-check.ts"]
ENTRYPOINT ["/usr/local/bin/doorlist"]
CMD ["serve"]
