import Authentication
import Coordination
import HTTPMessages
import Synchronization
public import Transport

extension SDMSession {
    /// Sends requests of an outbox as this session's own: with its credentials, cookies and CSRF tokens of that moment.
    ///
    /// ```swift
    /// let outbox = try Outbox(in: store, over: session.requestTransport { $0.setUserName("ann") }, user: "ann")
    /// try outbox.add(HTTPRequest(.put, flight, fields: fields, body: .bytes(entry)), key: flight, as: "seats")
    /// ```
    ///
    /// It is for the user of now: after ``clear()`` it throws an `AuthenticationError`, and the next user needs another
    /// one. A refusal of the credentials is an `AuthenticationError`, after which an outbox waits for the next sign-in.
    /// - Parameter prepare: sets what a request does not have, such as the user and the password; called for each.
    public func requestTransport(
        _ prepare: @escaping @Sendable (SDMHttpRequest) -> Void = { _ in }
    ) -> some Transport {
        SDMRequestTransport(session: self, start: sap.snapshot, prepare: prepare)
    }
}

/// Sends each request as an ``SDMHttpRequest``.
private struct SDMRequestTransport: Transport {
    let session: SDMSession
    /// The session when the transport was made.
    let start: Session<SAPState, Never>.Snapshot
    let prepare: @Sendable (SDMHttpRequest) -> Void

    func send(
        _ request: HTTPMessages.HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponse {
        // A stream may have to be sent again after a challenge.
        let body = request.body.isReplayable ? request.body : .bytes(try await request.body.collect())
        guard session.sap.isCurrent(start) else {
            throw AuthenticationError(
                .signInRequired, "Session was cleared since; make a transport for its user of now.", request: request)
        }
        let call = SDMHttpRequest(url: request.url, session: session)
        // Also for a `clear()` from now on: the request must not become one of the next user.
        call.state.withLock { $0.sessionAtStart = start }
        call.setRequestMethod(request.method.name)
        // The combined value, since a second line of a name replaces the first.
        for field in request.fields {
            call.addRequestHeader(field.name.rawName, value: request.fields[field.name] ?? field.value)
        }
        if !body.isEmpty { call.state.withLock { $0.body.append(.body(body)) } }
        prepare(call)
        do throws(SDMError) {
            return try await call.response()
        } catch {
            switch error.code {
            case .authentication:
                throw AuthenticationError(
                    .signInRequired, "Server demands other credentials; set them.", request: request,
                    underlying: error)
            // The causes of the layers below are known to rules for retries.
            case .connectionFailure, .requestTimedOut: throw error.underlying as? TransportError ?? error
            default: throw error
            }
        }
    }
}
