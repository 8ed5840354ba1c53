public import HTTPMessages
import Synchronization

/// Metrics and trailer fields of a response, which are known only at its end.
///
/// A reference, because the head of a streamed response exists before its end. An engine adds it to the head, and
/// completes it before the caller or the reader gets the end of the response.
public final class TransferReport: Sendable {
    private struct State {
        var metrics: TransferMetrics?
        var trailers: HTTPFields?
    }

    private let state = Mutex(State())

    /// Creates a report of a transfer that has not ended.
    public init() {}

    /// The measurements; nil until the transfer has ended.
    public var metrics: TransferMetrics? { state.withLock(\.metrics) }
    /// The trailer fields (RFC 9110, section 6.5); nil until the transfer has ended, and if unknown.
    public var trailers: HTTPFields? { state.withLock(\.trailers) }

    /// Sets what is known at the end of the transfer.
    public func complete(_ metrics: TransferMetrics?, trailers: HTTPFields? = nil) {
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
    /// Metrics and trailers of the transfer; nil for the responses of transports without a network.
    public var transferReport: TransferReport? {
        get { hasMetadata ? self[TransferReportKey.self] : nil }
        set { self[TransferReportKey.self] = newValue }
    }

    /// The measurements of the transfer; nil until its end, and for transports without a network.
    public var metrics: TransferMetrics? { transferReport?.metrics }

    /// The fields that the server has sent after the body, such as a digest; nil until its end, and if unknown.
    ///
    /// They are not part of `fields`, and never added to them: they come from the end of the body, and so past every
    /// check of the head (RFC 9110, section 6.5.1). Take from them only the fields that you expect.
    /// `CurlTransport` tells them; URLSession does not.
    public var trailers: HTTPFields? { transferReport?.trailers }
}

extension HTTPResponse {
    /// The fields that the server has sent after the body, see ``HTTPResponseHead/trailers``.
    public var trailers: HTTPFields? { head.trailers }
}

extension HTTPResponseStream {
    /// The fields that the server has sent after the body, see ``HTTPResponseHead/trailers``; nil until its end.
    public var trailers: HTTPFields? { head.trailers }
}
