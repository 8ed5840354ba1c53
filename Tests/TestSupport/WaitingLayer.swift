import Authentication
import HTTPMessages
import PatchbayTestKit
import Queueing
import Synchronization
public import Transport

/// A layer in which a call waits: for another call, for a slot, for a credential, for its retry, for its body.
public enum WaitingLayer: CaseIterable, Sendable {
    case coalescing, authorizing, queued, retrying, streaming

    /// The only origin of the requests.
    public static let origin = "http://layers.test"

    /// The layer over a transport.
    public func transport(over base: FakeTransport) throws -> AnyTransport {
        let limits = QueueLimits(maximumConcurrentPerKey: 1)
        return switch self {
        case .coalescing: AnyTransport(base.coalescing())
        case .authorizing:
            AnyTransport(base.authorizing(with: LayerKeys(), at: try AllowedOrigins(Self.origin)))
        case .queued: AnyTransport(base.queued(in: RequestQueue(limits: limits)))
        case .retrying:
            AnyTransport(
                EverySecondFailing(base: base)
                    .retrying(
                        Retry(
                            classifier: UnsafeRetryClassifier { $0.status == .serviceUnavailable }, backoff: .immediate,
                            limiter: .attempts(1000))))
        case .streaming:
            AnyTransport(Collecting(base: base.queued(in: RequestQueue(limits: limits), cancellationScope: .all)))
        }
    }
}

/// Keys that are obtained once, by a task of the credential cache.
private struct LayerKeys: Authorizer {
    func scope(of request: HTTPRequest) -> String? { "key" }
    func authorize(_ request: inout HTTPRequest, with key: String) throws { try request.fields.set("X-Key", to: key) }
    func obtain(_ need: CredentialNeed<String, String>) async throws -> IssuedCredential<String> {
        await Task.yield()
        return IssuedCredential("7")
    }
}

/// Responds to every second request with a 503.
private struct EverySecondFailing: StreamingTransport {
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    let base: FakeTransport
    private let count = Count()

    init(base: FakeTransport) { self.base = base }

    private var transport: FakeTransport {
        let fails = count.value.wrappingAdd(1, ordering: .relaxed).newValue % 2 == 1
        return fails ? FakeTransport { $0.response(.serviceUnavailable) } : base
    }

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await transport.send(request, observer: observer)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try await transport.stream(request, observer: observer)
    }
}

/// Reads streamed bodies.
private struct Collecting<Base: StreamingTransport>: StreamingTransport {
    let base: Base

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await base.stream(request, observer: observer).collect()
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try await base.stream(request, observer: observer)
    }
}
