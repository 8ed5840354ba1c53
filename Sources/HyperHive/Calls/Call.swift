import Coordination
import DeltaSync
import Foundation
import HTTPMessages
import Queueing
import Transport

/// One call in progress, with the client's session and settings at its start.
struct Call: Sendable {
    let client: HyperHive
    let log: CallLog
    let session: ClientSession.Snapshot
    let configuration: HyperHiveConfiguration
    /// The token that the requests carry; nil for those of a sign-in.
    let token: String?
    let settings: HyperHiveOptions
    let options: HyperHiveCallOptions

    /// - Parameter isSignIn: true for a call without the token of an earlier sign-in.
    /// - Throws: ``HyperHiveError``: `configuration`; `invalidArgument` for a transaction ID that is not a UUID.
    init(
        _ client: HyperHive, _ log: CallLog, _ options: HyperHiveCallOptions, as session: ClientSession.Snapshot,
        isSignIn: Bool = false
    ) throws(HyperHiveError) {
        (self.client, self.log, self.options) = (client, log, options)
        self.session = session
        settings = session.value.options
        token = isSignIn ? nil : session.value.token
        let count = max(options.retryCount ?? settings.retryCount, 0)
        let interval = options.retryInterval ?? settings.retryInterval
        log.echo { echo in
            echo.configuration = session.value.configuration?.redacted
            echo.login = session.user ?? ""
            echo.transactionID = options.transactionID
            echo.retryCount = count
            echo.retryIntervalSec = Int(clamping: interval.components.seconds)
        }
        log.redact(token)
        guard let configuration = session.value.configuration else {
            throw log.error(.configuration, "Not configured; call initWithCredentials or configure(_:) first.")
        }
        self.configuration = configuration
        do throws(HTTPMessageError) { _ = try HostURL(configuration.host) } catch {
            throw log.error(.configuration, "Invalid host: \(error.message)", underlying: error)
        }
        if let id = options.transactionID, UUID(uuidString: id) == nil {
            throw log.error(.invalidArgument, "The transaction ID is not a UUID; pass one, or none.")
        }
    }

    /// Identity of the rows of this server, project and user.
    var binding: DeltaBinding {
        let host = (try? HostURL(configuration.host).text) ?? configuration.host
        let application = configuration.application.isEmpty ? "" : "/\(configuration.application)"
        return DeltaBinding(
            server: host, environment: configuration.environment, project: configuration.project + application,
            resource: "", user: session.user ?? "")
    }

    /// True if another user has signed in since the call began, or the configuration was changed.
    var isObsolete: Bool { client.session.isReplaced(since: session) }

    // MARK: Attempts

    /// Runs an attempt, and retries it by ``RetryRules``.
    func retrying<Value: Sendable>(_ attempt: () async throws -> Value) async throws(HyperHiveError) -> Value {
        var rules = RetryRules(
            count: options.retryCount ?? settings.retryCount, interval: options.retryInterval ?? settings.retryInterval)
        do {
            return try await RetryLoop.run(on: client.clock) { () async throws -> RetryStep<Value> in
                log.record(retries: rules.retries)
                do {
                    return .finish(try await attempt())
                } catch {
                    let failure = log.error(error)
                    guard failure.code != .cancelled, case .retry(let wait) = rules.attemptEnded(log.outcome(error))
                    else { throw failure }
                    return .retry(
                        at: wait > .zero ? client.clock.now + wait : nil, cancellation: CancellationError())
                }
            }
        } catch {
            throw log.error(error)
        }
    }

    /// Sends a request, and returns its response with a status of 2xx.
    /// - Parameter transactionID: the ID that the request has.
    /// - Throws: `UnexpectedStatus` for another status; the errors of the transport.
    func send(
        _ request: HTTPRequest, transactionID: String? = nil, observer: (any TransferObserver)? = nil
    ) async throws -> HTTPResponse {
        let request = prepared(request, transactionID)
        let response = try await client.stack.send(request, observer: observer)
        log.record(response.head, sent: request.body.length ?? 0)
        log.record(received: Int64(response.body.count))
        try check(response, to: request)
        return response
    }

    /// Sends a request about the server's state of now, which no cache in the transport knows.
    func sendUncached(_ request: HTTPRequest, transactionID: String? = nil) async throws -> HTTPResponse {
        var request = request
        request.options.cachePolicy = .noStore
        return try await send(request, transactionID: transactionID)
    }

    /// Sends a request, and returns the head of its response with a status of 2xx.
    /// - Throws: what ``send(_:transactionID:observer:)`` throws.
    func stream(_ request: HTTPRequest, transactionID: String?) async throws -> HTTPResponseStream {
        let request = prepared(request, transactionID)
        let response = try await client.stack.stream(request, observer: nil)
        log.record(response.head, sent: request.body.length ?? 0)
        guard !response.status.isSuccessful else { return response }
        var body = Data()
        for try await chunk in response.body {
            body.append(chunk)
            // Enough for an error's description.
            if body.count >= 64 << 10 { break }
        }
        log.record(received: Int64(body.count))
        try check(HTTPResponse(head: response.head, body: body), to: request)
        return response
    }

    private func prepared(_ request: HTTPRequest, _ transactionID: String?) -> HTTPRequest {
        var request = request
        request.options.timeouts = settings.timeouts
        request.options.maximumResponseBytes = settings.maximumResponseBytes
        log.record(request, transactionID: transactionID)
        return request
    }

    private func check(_ response: HTTPResponse, to request: HTTPRequest) throws(UnexpectedStatus) {
        guard !response.status.isSuccessful else { return }
        // Another origin gets no token, so that its 401 is not about the token.
        if response.status == .unauthorized, token != nil, response.head.stayed(at: request.origin) {
            client.session.keep(from: session) { $0.token = nil }
        }
        throw UnexpectedStatus(response: response)
    }
}

extension CallLog {
    /// Makes the error of a call from any error.
    func error(_ error: any Error) -> HyperHiveError {
        if let error = error as? HyperHiveError { return error }
        // A cancelled transfer or statement may end with an error of another kind.
        let failure = CallFailure(Task.isCancelled ? CancellationError() : error)
        guard let entry = failure.entry else {
            return HyperHiveError(.cancelled, "The call was cancelled.", result: result(.cancel), underlying: error)
        }
        return self.error(failure.code, entry, quote: failure.quote, underlying: error)
    }

    /// Makes the error of a request that was not sent.
    func error(
        _ code: HyperHiveError.Code, _ message: String, underlying: (any Error)? = nil
    ) -> HyperHiveError {
        error(code, .init(.curl, CurlCode.other, message), underlying: underlying)
    }

    /// Makes an error with an entry for the envelope.
    /// - Parameter quote: the text of the server that the entry has, of which the message shows 200 characters.
    func error(
        _ code: HyperHiveError.Code, _ entry: HyperHiveResult.Failure, quote: CallFailure.Quote? = nil,
        underlying: (any Error)? = nil
    ) -> HyperHiveError {
        var entry = entry
        let standard = CallFailure.description(ofStatus: entry.code)
        if case .body(let body, let type) = quote {
            entry.description = redacted(body: body).flatMap { BodyExcerpt.text(of: $0, as: type) } ?? standard
        }
        entry.description = redacted(entry.description, isOfServer: entry.source == .server) ?? standard
        var message = entry.description
        if case .member = quote {
            message = BodyExcerpt.text(of: Data(message.utf8), as: .plainText) ?? standard
        }
        var result = result(.error)
        result.errors = [entry]
        return HyperHiveError(code, message, result: result, underlying: underlying)
    }
}
