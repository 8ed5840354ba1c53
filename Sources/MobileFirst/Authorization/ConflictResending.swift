import HTTPMessages
import Synchronization
import Transport

/// A layer that sends a request again after 409 with `MFP-Conflict`, at most seven times per call.
///
/// The count spans all attempts with different tokens: it is in the request's options.
struct ConflictResending<Base: Transport>: Transport {
    let base: Base

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await resend(request) { try await base.send(request, observer: observer) }
    }

    private func resend<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ send: () async throws -> Response
    ) async throws -> Response {
        while true {
            let response = try await send()
            guard response.head.isConflictOfMobileFirst, request.body.isReplayable,
                request.options.conflictBudget?.take() == true
            else { return response }
            let clock = AnyMonotonicClock.continuous
            await response.discard(until: clock.now + .seconds(1), on: clock)
        }
    }
}

extension ConflictResending: StreamingTransport where Base: StreamingTransport {
    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try await resend(request) { try await base.stream(request, observer: observer) }
    }
}

/// The number of resends after conflicts that are left for a call.
final class ConflictBudget: Hashable, Sendable {
    private let left: Mutex<Int>

    init(_ count: Int = 7) { left = Mutex(count) }

    /// Takes one resend; false if none is left.
    func take() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    static func == (left: ConflictBudget, right: ConflictBudget) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private enum ConflictBudgetKey: RequestOptionKey { static var defaultValue: ConflictBudget? { nil } }

extension RequestOptions {
    /// The resends after conflicts that are left for the call; nil for none.
    var conflictBudget: ConflictBudget? {
        get { self[ConflictBudgetKey.self] }
        set { self[ConflictBudgetKey.self] = newValue }
    }
}

extension HTTPResponseHead {
    /// True for a conflict that the server wants to be retried.
    var isConflictOfMobileFirst: Bool { status.code == 409 && fields["MFP-Conflict"] != nil }
}
