import Authentication
import Coordination
import HTTPCaching
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
    ///
    /// The options of a request hold for all that the session sends for it; timeouts and the limit of the response that
    /// are as by default are those of the session. An option that a session cannot honor is the error `unsupported`.
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
        let deadline = request.options.timeouts.total.map { session.clock.now + $0 }
        // A stream may have to be sent again after a challenge.
        let body = request.body.isReplayable ? request.body : .bytes(try await request.body.collect())
        guard session.sap.isCurrent(start) else {
            throw AuthenticationError(
                .signInRequired, "Session was cleared since; make a transport for its user of now.", request: request)
        }
        let call = SDMHttpRequest(url: request.url, session: session)
        call.state.withLock { state in
            // Also for a `clear()` from now on: the request must not become one of the next user.
            state.sessionAtStart = start
            (state.options, state.observer, state.deadline) = (request.options, observer, deadline)
        }
        if !request.options.acceptsContentCodings { call.allowCompressedResponse = false }
        if !request.options.usesCookies { call.useCookiePersistence = false }
        call.setRequestMethod(request.method.name)
        // The combined value, since a second line of a name replaces the first.
        for field in request.fields {
            call.addRequestHeader(field.name.rawName, value: request.fields[field.name] ?? field.value)
        }
        if !body.isEmpty { call.state.withLock { $0.body.append(.body(body)) } }
        prepare(call)
        try check(request, call)
        // Also for the waits of a call: in the queue, for the token of another one, and for a delegate.
        let timer = deadline.map { deadline in
            session.clock.schedule(at: deadline) {
                // Not on the thread of timers: the end of a request may call a delegate.
                Task(executorPreference: WorkerThreads.calls) {
                    call.expire(
                        .timedOut(
                            .total, "Timed out: the request took longer than its total timeout.", request: request,
                            head: call.responseHead))
                }
            }
        }
        defer { timer?.cancel() }
        do throws(SDMError) {
            var response = try await call.response()
            // A cached one has none.
            if response.head.method == nil { response.head.method = try? HTTPMethod(call.settings.requestMethod) }
            addRedirects(of: call, to: &response.head)
            return response
        } catch {
            switch error.code {
            case .authentication:
                throw AuthenticationError(
                    .signInRequired, "Server demands other credentials; set them.", request: request,
                    underlying: error)
            // The causes of the layers below are known to rules for retries.
            case .connectionFailure, .requestTimedOut:
                guard var cause = error.underlying as? TransportError else { throw error }
                if var head = cause.head {
                    addRedirects(of: call, to: &head)
                    cause.head = head
                }
                throw cause
            default: throw error
            }
        }
    }

    /// Adds the redirects before a response, as a transport that follows them does.
    private func addRedirects(of call: SDMHttpRequest, to head: inout HTTPResponseHead) {
        var redirects = call.state.withLock(\.results.followedHeads)
        // Between two attempts, the last response is that of the last redirect.
        if redirects.last == head { redirects.removeLast() }
        head.redirects = redirects + head.redirects
    }

    /// Checks that the session can honor the options, before anything is sent.
    private func check(_ request: HTTPMessages.HTTPRequest, _ call: SDMHttpRequest) throws(TransportError) {
        let options = request.options
        let isPolicy = if case .policy = options.redirectPolicy { true } else { false }
        let hasCache = call.downloadCache != nil
        let others = [
            ("upgradeProtocol", options.upgradeProtocol != nil), ("redirectPolicy = .policy", isPolicy),
            ("cookieSite", options.cookieSite != nil), ("skipsAuthorization", options.skipsAuthorization),
            ("cachePolicy", hasCache && options.cachePolicy != .standard),
            ("staleIfError", hasCache && options.staleIfError != nil),
        ]
        guard let option = others.first(where: { $0.1 })?.0 else { return }
        throw TransportError(
            .unsupported, "An SDMSession does not support the request option `\(option)`; remove it.",
            request: request)
    }
}
