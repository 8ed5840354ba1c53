import Authentication
import Foundation
import HTTPMessages
import RequestModel

extension WLResourceRequest {
    /// Returns a validated copy of the request with the client's headers and options.
    ///
    /// A body is sent by POST and PUT only, as the vendor's header says.
    /// - Throws: ``WLError`` (`invalidRequest`, `configuration`, `unknownBackendService`).
    func httpRequest(_ content: RequestContent = .none) throws(WLError) -> HTTPRequest {
        if let failure { throw failure }
        do {
            guard let httpMethod else {
                throw WLError(.invalidRequest, "The request has no method; pass one such as WLHttpMethodGet.")
            }
            let method = try HTTPMethod(httpMethod)
            var fields = try client.fields(overriddenBy: try ownFields())
            var body = HTTPBody.empty
            if method == .post || method == .put,
                let encoded = try content.encoded(String.Encoding(rawValue: stringEncoding))
            {
                body = encoded.body
                if content.fixesType || !fields.contains(.contentType) {
                    try fields.set(.contentType, to: encoded.type)
                }
            }
            // Before the URL: if the app changes the server in between, the call fails instead of mixing both.
            var options = try client.options(timeouts: timeouts())
            options.authorizationScope = scope.map { OAuthScope($0) }
            return try HTTPRequest(method, try resolvedURL(), fields: fields, body: body, options: options)
        } catch {
            throw WLError(error)
        }
    }

    private func ownFields() throws -> HTTPFields { try HTTPFields(headerLines.map { ($0.name, $0.value) }) }

    private func timeouts() throws -> Timeouts {
        let value = timeoutInterval
        if client.configuration.timeoutUnit == .seconds, value >= 1000 {
            client.configuration.warn(
                "Timeout of \(value) s; if it is meant in milliseconds, set `WLConfiguration.timeoutUnit`.")
        }
        let timeout = try Duration.timeout(seconds: value / client.configuration.timeoutUnit.perSecond)
        return Timeouts(response: timeout, idle: timeout)
    }

    /// The absolute URL, with the encoded query.
    private func resolvedURL() throws -> String {
        guard let text = url?.absoluteString, !text.isEmpty else {
            throw WLError(
                .invalidRequest,
                "The request has no URL; pass a path such as /adapters/Bank/balance to its initializer.")
        }
        let path = String(text.prefix { $0 != "?" && $0 != "#" })
        let resolved = try backendServiceName.map { try serviceURL($0, path) } ?? plainURL(path)
        guard !query.text.isEmpty else { return resolved }
        return resolved + (resolved.contains("?") ? "&" : "?") + query.text
    }

    private func plainURL(_ path: String) throws -> String {
        // The scheme only: a path or query may contain `http:` too.
        switch URLReference(path[...]).scheme?.lowercased() {
        case nil: return try client.serverBase().appending("api").appendingPath(path)
        case "http", "https": return path
        case let scheme?:
            throw WLError(
                .invalidRequest, "Unsupported URL scheme \(scheme); use http, https or a path of the server.")
        }
    }

    private func serviceURL(_ service: String, _ path: String) throws -> String {
        guard let makeURL = client.configuration.backendServiceURL else {
            throw WLError(
                .unknownBackendService,
                "No URL is known for the backend service \(service), since the vendor has not published it; set "
                    + "`WLConfiguration.backendServiceURL`.")
        }
        guard let url = makeURL(service, path) else {
            throw WLError(
                .unknownBackendService,
                "`WLConfiguration.backendServiceURL` has no URL for the backend service \(service); add it there.")
        }
        return url
    }
}

extension RequestURL {
    /// The URL with a path below it, joined by one slash.
    func appendingPath(_ path: String) throws -> String { try BaseURL(text).appending(path).text }
}
