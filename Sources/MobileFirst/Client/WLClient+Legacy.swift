public import Delegation
public import Dispatch
import HTTPMessages
import Transport

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

// The vendor's older calls: URL requests with a token, procedures, and connect.

extension WLClient {
    /// Sends a URL request with a token, and calls a delegate of URLSession on ``delivery``.
    ///
    /// Its URL, method, headers, `httpBody`, timeout, `httpShouldHandleCookies` and cache policy count. A cache in the
    /// client's transport keeps that policy: each one that asks the server (`reloadIgnoringLocalCacheData`,
    /// `reloadIgnoringLocalAndRemoteCacheData`, `reloadRevalidatingCacheData`) is `CachePolicy.reload`.
    @discardableResult
    public func send(request: URLRequest, delegate: any URLSessionDataDelegate) -> WLCall {
        start(Result { () throws(WLError) in try httpRequest(request) }, delegate: delegate, on: nil)
    }

    /// Sends a URL request with a token, and calls a delegate of URLSession on a queue.
    ///
    /// As ``send(request:delegate:)``.
    @discardableResult
    public func send(
        request: URLRequest, responseQueue: DispatchQueue, delegate: any URLSessionDataDelegate
    ) -> WLCall {
        start(Result { () throws(WLError) in try httpRequest(request) }, delegate: delegate, on: responseQueue)
    }

    private func httpRequest(_ request: URLRequest) throws(WLError) -> HTTPRequest {
        guard let url = request.url else {
            throw WLError(.invalidRequest, "The URL request has no URL.")
        }
        guard request.httpBodyStream == nil else {
            throw WLError(.invalidRequest, "The URL request has a body stream; use `httpBody`.")
        }
        do {
            let own = try HTTPFields((request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { ($0, $1) })
            let timeout = try Duration.timeout(seconds: request.timeoutInterval)
            var options = try options(timeouts: Timeouts(response: timeout, idle: timeout))
            options.usesCookies = request.httpShouldHandleCookies
            options.cachePolicy = CachePolicy(request.cachePolicy)
            return try HTTPRequest(
                HTTPMethod(request.httpMethod ?? "GET"), url, fields: try fields(overriddenBy: own),
                body: request.httpBody.map { .bytes($0) } ?? .empty, options: options)
        } catch {
            throw WLError(error)
        }
    }

    /// Calls a procedure of a JavaScript adapter: `GET /adapters/{adapter}/{procedure}?params=[…]`.
    ///
    /// A response without `isSuccessful: true` is a failure with the code `procedure`.
    /// - Parameters:
    ///   - options: `timeout` in milliseconds (default 10,000; 0 is the client's default), and `invocationContext`,
    ///     which is returned in the response.
    @discardableResult
    public func invokeProcedure(
        _ invocation: WLProcedureInvocationData, withDelegate delegate: any WLDelegate,
        options: [AnyHashable: Any]! = nil
    ) -> WLCall {
        let context = options?["invocationContext"]
        let request = Result { () throws(WLError) in
            try invocation.request(self, timeout: options?["timeout"])
        }
        return start {
            let response = try await self.perform(request.get())
            guard response.jsonObject?["isSuccessful"] == .bool(true) else {
                throw WLError(
                    .procedure, "PROCEDURE_ERROR: the procedure failed; see `errors` in the response.",
                    response: response)
            }
            return response
        } completion: { result in
            switch result {
            case .success(let response):
                delegate.onSuccess(WLResponse(response.httpResponse, invocationContext: context))
            case .failure(let error):
                delegate.onFailure(WLFailResponse(error, invocationContext: context))
            }
        }
    }

    /// Obtains a token of the default scope, which registers the app.
    @available(*, deprecated, message: "requests connect by themselves; call obtainAccessToken for a token")
    @discardableResult
    public func wlConnect(withDelegate delegate: any WLDelegate, options: [AnyHashable: Any]! = nil) -> WLCall {
        start {
            try await self.authorizationManager.obtainAccessToken(forScope: nil)
        } completion: { result in
            switch result {
            case .success: delegate.onSuccess(WLResponse(nil))
            case .failure(let error): delegate.onFailure(WLFailResponse(error))
            }
        }
    }
}

extension CachePolicy {
    /// The policy of a URL request, or the nearest one.
    fileprivate init(_ policy: URLRequest.CachePolicy) {
        self =
            switch policy {
            case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
                .reload
            case .returnCacheDataElseLoad: .preferCached
            case .returnCacheDataDontLoad: .onlyIfCached
            default: .standard
            }
    }
}
