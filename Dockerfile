# syntax=docker/dockerfile:1
ARG GO_VERSION=1.26
FROM --platform=$BUILDPLATFORM golang:$GO_VERSION AS build
ARG TARGETOS TARGETARCH VERSION=unknown REVISION=unknown
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# As make dist builds it.
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
    -ldflags "-s -w -buildid= -X github.com/prometheus/common/version.Version=$VERSION -X github.com/prometheus/common/version.Revision=$REVISION" \
    -o /tocsin ./cmd/tocsin

FROM scratch
ARG VERSION=unknown REVISION=unknown
LABEL org.opencontainers.image.title="tocsin" \
      org.opencontainers.image.description="Prometheus exporter: verdicts on a Kubernetes cluster's scheduled and stateful workloads" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /tocsin /tocsin
USER 65532:65532
EXPOSE 10227
ENTRYPOINT ["/tocsin"]
