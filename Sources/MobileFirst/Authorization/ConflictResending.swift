import Coordination
import HTTPMessages
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

extension HTTPResponseHead {
    /// True for a conflict that the server wants to be retried.
    var isConflictOfMobileFirst: Bool { status.code == 409 && fields["MFP-Conflict"] != nil }
}
