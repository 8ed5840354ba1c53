import Authentication
import Delegation
import Foundation
import HTTPMessages
import Synchronization
import Transport

/// Runs one request: sends the attempts that ``CallState`` demands, and reports to the delegates.
///
/// ```
/// SDMNetworkQueue > CallRunner: cache > redirects > passwords > CSRF tokens > cookies > bandwidth
/// > the session's transport
/// ```
/// The vendor's rules of each step depend on the request's delegate and settings, which may change between two
/// attempts, so the steps are those of the runner, and not layers. The app's own layers are in the session's transport.
///
/// Used by one task. The steps are in extensions: `Attempts`, `Redirects`, `Credentials`, `Body`.
final class CallRunner {
    /// How the request was started.
    enum Mode: Sendable {
        case asynchronous
        /// Without prompts for credentials. `blocksDelivery` is true when the blocked thread is that of the callbacks,
        /// which are then called in place.
        case synchronous(blocksDelivery: Bool)
    }

    /// A request that was sent, and its response.
    struct Exchange {
        let message: HTTPMessages.HTTPRequest
        let response: HTTPResponseStream
        /// True if it is that of the fetch of a token, for a request that was not sent.
        var isOfTokenFetch = false
        var head: HTTPResponseHead { response.head }
        /// True if the body is what was asked for, even if it is empty.
        var isContent: Bool { head.status.isSuccessful && head.status != .noContent && message.method != .head }
    }

    let request: SDMHttpRequest
    let mode: Mode
    let callbacks: Callbacks
    var session: SDMSession { request.session }
    var call = CallState()
    /// The last exchange.
    var exchange: Exchange?
    /// The challenges and credentials for the next attempt: that of the server, and that of a proxy.
    var authorizations: [Authorization] = []
    /// The credentials that servers and proxies have rejected in this call.
    var rejected: Set<SpaceCredential> = []
    /// The number of challenges in a row that reject only the age of the nonce.
    var staleCount = 0
    /// The credentials that a delegate has supplied to all requests of a realm.
    var sharedCredentials: Set<PasswordCredential> = []
    /// The credentials for which this call has asked the delegate.
    var supplied: Set<SpaceCredential> = []
    /// The cache, with the request of the last attempt; nil without one.
    var cache: CacheUse?
    /// False after a 304 that was not about the cached response.
    var revalidates = true
    /// The partial file of a resumed download.
    var download: DownloadFile?
    /// The number of bytes posted to the delegate since it last caught up.
    var undelivered = 0

    init(_ request: SDMHttpRequest, _ mode: Mode) {
        self.request = request
        self.mode = mode
        let isInPlace = if case .synchronous(true) = mode { true } else { false }
        callbacks = Callbacks(request.session.configuration.delivery, isInPlace: isInPlace)
    }

    /// Runs the request to its end, and completes it.
    /// - Returns: the credentials that servers and proxies have rejected.
    func run() async -> Set<SpaceCredential> {
        var outcome: SDMError?
        do {
            try await perform()
        } catch {
            let error = request.failure(error)
            if await !finishFromCache(insteadOf: error) {
                download?.abandon()
                outcome = error
            }
        }
        // Ends the transfer, if it is not complete, before the end is reported.
        exchange = nil
        request.end(outcome, callbacks)
        return rejected
    }

    private func perform() async throws {
        try prepare()
        var action = call.start()
        while true {
            switch action {
            case .send: action = try await recovering { try await attempt() }
            case .redirect(let target): action = try await follow(target)
            case .authenticate(let isProxy): action = try await recovering { try await authenticate(isProxy) }
            case .receive: action = try await recovering { try await receiveBody() }
            case .finish: return
            case .fail(let code): throw failure(code)
            }
            publishCounts()
        }
    }

    /// Checks the settings, before anything is sent.
    private func prepare() throws {
        let settings = request.state.withLock { state in
            state.prepare()
            return state.settings
        }
        try request.checkSelectors()
        guard settings.url != nil else { throw SDMError.noURL }
        request.buildPostBody()
        if let error = request.state.withLock(\.body.error) { throw error }
        try settings.checkSupport(session)
        download = DownloadFile(settings)
    }

    /// Performs a step; a failure of the transport is retried if the rules allow that.
    private func recovering(_ step: () async throws -> CallState.Action) async throws -> CallState.Action {
        do {
            return try await step()
        } catch let error as TransportError where error.code == .timedOut || error.code == .connectionLost {
            let action = call.failed(
                error.code == .timedOut ? .timedOut : .connectionLost, canRetry: canReceiveAgain, rules: rules)
            guard action == .send else { throw error }
            request.resetBody()
            return action
        }
    }

    var rules: CallState.Rules {
        let (settings, redirects) = (request.settings, request.redirects)
        let limit = if case .limit(let count) = redirects { count } else { REDIRECTION_LIMIT }
        return CallState.Rules(
            shouldRedirect: settings.shouldRedirect && redirects != RequestRedirects.none,
            retryCountOnTimeout: settings.retryCountOnTimeout, redirectLimit: limit,
            isIdempotent: exchange?.message.method.isIdempotent ?? true,
            isSafe: (try? HTTPMethod(settings.requestMethod))?.isSafe ?? false)
    }

    /// False when bytes of the body have reached a delegate, or may have.
    var canReceiveAgain: Bool {
        let (receiver, count) = request.state.withLock { ($0.delivery.receiver, $0.results.totalBytesRead) }
        return switch receiver {
        case .request: true
        case .delegate: false
        case .unknown: count == 0 || request.delegate == nil
        }
    }

    private func publishCounts() {
        let redirectCount = min(call.redirectCount, max(0, rules.redirectLimit))
        request.update { results in
            results.redirectCount = redirectCount
            results.retryCount = call.retryCount
            results.authenticationRetryCount = call.authenticationCount
            results.proxyAuthenticationRetryCount = call.proxyAuthenticationCount
        }
    }

    private func failure(_ code: SDMError.Code) -> SDMError {
        switch (code, mode) {
        case (.tooMuchRedirection, _):
            SDMError(
                code,
                "The request failed because it redirected too many times (limit \(rules.redirectLimit)): "
                    + "\(request.description); check the server, or set `shouldRedirect` to false to get the redirect.")
        case (.authentication, _) where !rejected.isEmpty:
            SDMError(
                code,
                "Credentials rejected\(exchange?.isOfTokenFetch == true ? " in the fetch of the CSRF token" : ""): "
                    + "\(request.description); check `username` and `password`.")
        case (.authentication, .synchronous):
            SDMError(
                code,
                "Authentication needed: \(request.description); set `username` and `password`, since a synchronous "
                    + "start does not ask the delegate.")
        case (.authentication, .asynchronous):
            SDMError(
                code,
                "Authentication needed: \(request.description); set `username` and `password`, or implement "
                    + "`authenticationNeeded(for:)`.")
        default: SDMError(code, "The request failed: \(request.description).")
        }
    }
}

/// A credential for a challenge.
struct Authorization {
    let challenge: PasswordChallenge
    let credential: PasswordCredential
}

/// A credential for one protection space.
struct SpaceCredential: Hashable {
    let space: ProtectionSpace
    let credential: PasswordCredential
}

/// The rejection of credentials by a server or a proxy, in a request that others wait for.
struct CredentialRejection: Sendable {
    let credentials: Set<SpaceCredential>
    /// The last challenge.
    let response: HTTPResponse
}

/// The credential that an attempt carries for its server.
struct SentPassword {
    let credential: PasswordCredential
    /// Nil if it was sent without a challenge, for any realm.
    private let space: ProtectionSpace?

    init(_ credential: PasswordCredential, in space: ProtectionSpace?) {
        self.credential = credential
        self.space = space
    }

    func isAmong(_ rejected: Set<SpaceCredential>) -> Bool {
        rejected.contains { $0.credential == credential && (space == nil || $0.space == space) }
    }
}
