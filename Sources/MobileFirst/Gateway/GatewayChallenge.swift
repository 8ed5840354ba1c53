import Authentication
import Delegation
import Foundation
import HTTPMessages
import Synchronization
import Transport

/// The challenge of a gateway: the requests that wait for its end.
final class GatewayChallenge: Sendable {
    /// How a challenge ends for the requests that wait for it.
    enum Outcome: Hashable, Sendable {
        case resend
        case cancel
    }

    private struct State {
        var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
        var nextID: UInt64 = 0
        /// Sends login forms, while there is a challenge.
        var context: Context?
        var logins = 0
    }

    private struct Context: Sendable {
        let state: ClientState
        let send: @Sendable (HTTPRequest) async throws -> HTTPResponse
    }

    private let state = Mutex(State())

    /// The number of challenges that ended with ``Outcome/resend``.
    var logins: Int { state.withLock(\.logins) }

    /// Waits for the end of the challenge.
    /// - Parameters:
    ///   - send: sends login forms.
    ///   - begin: called if this request starts the challenge, to call the handler.
    func wait(
        _ client: ClientState, send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse,
        begin: @Sendable () -> Void
    ) async -> Outcome {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isFirst = state.withLock { state -> Bool? in
                    // The cancellation handler may have run before the waiter was added.
                    guard !Task.isCancelled else { return nil }
                    state.waiters[id] = waiter
                    defer { state.context = Context(state: client, send: send) }
                    return state.context == nil
                }
                guard let isFirst else { return waiter.resume(returning: .cancel) }
                if isFirst { begin() }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Ends the challenge for all requests that wait.
    func end(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            if outcome == .resend, state.context != nil { state.logins += 1 }
            state.context = nil
            defer { state.waiters = [:] }
            return state.waiters
        }
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: outcome) }
    }

    /// Ends one request; the challenge goes on for the others.
    private func cancel(_ id: UInt64) {
        let waiter = state.withLock { state in
            defer { if state.waiters.isEmpty { state.context = nil } }
            return state.waiters.removeValue(forKey: id)
        }
        waiter?.resume(returning: .cancel)
    }

    /// Sends a login form, while there is a challenge.
    func submit(_ form: LoginForm, completion: @escaping @Sendable (Result<WLResponse, WLError>) -> Void) {
        guard let context = state.withLock(\.context) else { return }
        let request = Result { try form.request(context.state) }
        _ = CallHandle.start(delivery: context.state.delivery) {
            let request = try request.get()
            let response = try await context.send(request)
            guard response.status == .ok else { throw WLError(unexpected: response, to: request) }
            return WLResponse(response)
        } completion: { result in
            RunningRefresh.leave { completion(result.mapError { WLError($0) }) }
        }
    }
}
