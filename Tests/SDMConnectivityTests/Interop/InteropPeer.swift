import Delegation
import Foundation
import HTTPMessages
import SDMConnectivity

/// A third-party server, and a session for requests to it. `.ci/interop` starts the server and sets its address;
/// without it the tests are skipped.
struct InteropPeer: Sendable {
    static let nginx = ProcessInfo.processInfo.environment["PATCHBAY_NGINX"]
    static let apache = ProcessInfo.processInfo.environment["PATCHBAY_APACHE"]
    static let httpbin = ProcessInfo.processInfo.environment["PATCHBAY_HTTPBIN"]
    /// The scheme of the proxy in `http_proxy`, `basic` or `digest`.
    static let proxyScheme = ProcessInfo.processInfo.environment["PATCHBAY_PROXY"]

    let origin: String
    let session: SDMSession

    init?(_ origin: String?) {
        guard let origin else { return nil }
        self.origin = origin
        var configuration = SDMSession.Configuration()
        configuration.delivery = .inline
        session = SDMSession(configuration: configuration)
    }

    /// A request without a timeout, since other work may slow the machine down.
    func request(
        _ path: String, user: String? = nil, password: String? = nil, of type: SDMHttpRequest.Type = SDMHttpRequest.self
    ) -> SDMHttpRequest {
        let request = type.init(url: URL(string: origin + path), session: session)
        request.timeOutSeconds = 0
        request.username = user
        request.password = password
        return request
    }

    /// A request with the server's user.
    func authorized(_ path: String) -> SDMHttpRequest { request(path, user: "user", password: "pass") }

    /// The origin under the machine's name, which is another one for credentials and cookies.
    var otherOrigin: String { origin.replacing("127.0.0.1", with: "localhost") }
}

extension SDMHttpRequest {
    /// The body of the response as JSON.
    func json() async throws -> JSONValue { try JSONValue(parsing: try await response().body) }
}
