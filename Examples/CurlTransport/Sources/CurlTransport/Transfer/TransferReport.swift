public import HTTPMessages
import Synchronization

/// Measurements of a finished transfer.
///
/// The durations are measured from the start of the transfer in libcurl. They include neither the wait for a slot of
/// the origin nor what a slow reader adds after the last byte.
public struct TransferMetrics: Hashable, Sendable {
    /// The version of HTTP: `1.0`, `1.1`, `2` or `3`.
    public let httpVersion: String
    /// True when the connection was open already.
    public let isConnectionReused: Bool
    /// The end of the name resolution; nil for a reused connection.
    public let resolved: Duration?
    /// The end of the TCP handshake; nil for a reused connection.
    public let connected: Duration?
    /// The end of the TLS handshake; nil for a reused connection and without TLS.
    public let secured: Duration?
    /// The first byte of the response.
    public let firstByte: Duration?
    /// The end of the transfer.
    public let total: Duration
    /// The size of the request body.
    public let bytesSent: Int64
    /// The size of the response body as received, before decoding.
    public let bytesReceived: Int64
    /// The address of the server or proxy.
    public let remoteAddress: String?
}

/// Metrics and trailer fields of a response, which are known only at its end.
///
/// ```swift
/// let response = try await transport.send(request)
/// print(response.head.transferReport?.metrics?.total ?? .zero)
/// ```
///
/// A reference, because the head of a streamed response exists before its end.
public final class TransferReport: Sendable {
    private struct State {
        var metrics: TransferMetrics?
        var trailers = HTTPFields()
    }

    private let state = Mutex(State())

    init() {}

    /// The measurements; nil until the transfer has ended.
    public var metrics: TransferMetrics? { state.withLock(\.metrics) }
    /// The trailer fields (RFC 9110, section 6.5); empty until the transfer has ended.
    public var trailers: HTTPFields { state.withLock(\.trailers) }

    func complete(_ metrics: TransferMetrics, trailers: HTTPFields) {
        state.withLock { $0 = State(metrics: metrics, trailers: trailers) }
    }
}

extension TransferReport: Hashable {
    /// Compares identities.
    public static func == (left: TransferReport, right: TransferReport) -> Bool { left === right }
    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private enum TransferReportKey: ResponseMetadataKey {
    static var defaultValue: TransferReport? { nil }
}

extension HTTPResponseHead {
    /// Metrics and trailers of the transfer; nil for the responses of other transports.
    public internal(set) var transferReport: TransferReport? {
        get { self[TransferReportKey.self] }
        set { self[TransferReportKey.self] = newValue }
    }
}
