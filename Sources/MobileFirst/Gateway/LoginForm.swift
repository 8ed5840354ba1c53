import Authentication
import Foundation
import HTTPMessages
import RequestModel
import Synchronization
import Transport

/// A login form of a gateway.
struct LoginForm {
    let url: String
    let parameters: Result<[String: JSONValue], WLError>
    let headers: Result<[String: JSONValue], WLError>
    let milliseconds: Int32
    let method: String

    init(
        url: String, parameters: [AnyHashable: Any], headers: [AnyHashable: Any], milliseconds: Int32, method: String
    ) {
        self.url = url
        self.parameters = Result { () throws(WLError) in try Self.members(parameters, of: "login form") }
        self.headers = Result { () throws(WLError) in try Self.members(headers, of: "headers of the login form") }
        self.milliseconds = milliseconds
        self.method = method
    }

    private static func members(
        _ values: [AnyHashable: Any], of subject: String
    ) throws(WLError) -> [String: JSONValue] {
        do {
            return try RequestContent.members(values, of: subject)
        } catch {
            throw WLError(error)
        }
    }

    /// The timeout; zero or negative means ten seconds.
    var timeout: Duration { milliseconds <= 0 ? .seconds(10) : .milliseconds(Int64(milliseconds)) }

    /// Sends the form, and follows redirects, whose cookies are kept: many gateways respond to a login with one.
    /// - Parameter isKept: tells at the end, also of a failure, whether the cookies of all responses are kept, of which
    ///   the client's jar has none before; nil to keep those of each response at once.
    /// - Returns: the last response, with status 200.
    /// - Throws: ``WLError`` for another status; errors of the transport.
    func send(by client: ClientState, keepingCookiesIf isKept: (@Sendable () -> Bool)?) async throws -> WLResponse {
        let request = try request(client)
        let response: HTTPResponse
        if let isKept {
            let (jar, since) = (client.cookieJar, SignOutClock.now)
            let followed = Mutex<HTTPResponseHead?>(nil)
            let form = Redirecting(base: ClientNetwork(state: client).keepingCookies(in: jar.copy())) { redirect in
                followed.withLock { $0 = redirect.head }
                return redirect.target
            }
            do {
                response = try await form.send(request)
            } catch {
                // The login may have succeeded, though the page after it cannot be had.
                for case let head? in [followed.withLock(\.self), (error as? TransportError)?.head] {
                    jar.receive(head, since: since, if: isKept)
                }
                throw error
            }
            jar.receive(response.head, since: since, if: isKept)
        } else {
            response = try await client.network.redirecting().send(request)
        }
        guard response.status == .ok else { throw WLError(unexpected: response, to: request) }
        return WLResponse(response)
    }

    /// The request to send.
    private func request(_ client: ClientState) throws -> HTTPRequest {
        let method = try HTTPMethod(method.uppercased())
        var fields = HTTPFields()
        for (name, value) in try headers.get() {
            guard let text = try value.parameterText else { continue }
            try fields.set(name, to: text)
        }
        fields = try client.fields(overriddenBy: fields)
        let scheme = URLReference(url[...]).scheme?.lowercased()
        let isAbsolute = scheme == "http" || scheme == "https"
        // Below the server's URL, or above it: samples use paths such as `../../login`.
        let server = try client.server()
        var target = isAbsolute ? url : try server.resolving(server.appending(url).text).text
        try client.requireEncryption(of: target)
        let content = RequestContent.form(try parameters.get())
        guard let (body, type) = try content.encoded(.utf8) else {
            throw WLError(.internalError, "The login form has no body.")
        }
        var options = RequestOptions(timeouts: Timeouts(total: timeout))
        options.skipsAuthorization = true
        options.hasSecretBody = true
        guard method.allowsBody, method != .delete else {
            let query = try RequestQuery(parameters: parameters.get()).text
            if !query.isEmpty { target += (target.contains("?") ? "&" : "?") + query }
            return try HTTPRequest(method, target, fields: fields, options: options)
        }
        try fields.set(.contentType, to: type)
        return try HTTPRequest(method, target, fields: fields, body: body, options: options)
    }
}

extension RequestQuery {
    fileprivate init(parameters: [String: JSONValue]) throws {
        self.init()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { set(name, to: try value.parameterText) }
    }
}
