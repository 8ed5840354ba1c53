import Patchbay

/// The browser of the user, except for a server on this machine that confirms without a page, as that of the example
/// does. An app passes `.systemBrowser`.
struct LocalBrowser<Other: SignInBrowser>: SignInBrowser {
    private let network: any Transport
    private let other: Other

    init(over network: any Transport = URLSessionTransport.shared, otherwise other: Other = SystemBrowser()) {
        (self.network, self.other) = (network, other)
    }

    func open(_ page: SignInPage) async throws -> URL? {
        // Only a browser may get the page of a real server: it has the sessions, and the URL may be good once only.
        guard page.url.host() == "127.0.0.1" else { return try await other.open(page) }
        let response = try await network.send(HTTPRequest(.get, page.url))
        guard let redirect = response.fields[.location], redirect.hasPrefix(page.redirectURI) else {
            return try await other.open(page)
        }
        // The listener of the sign-in gets what the server has sent.
        _ = try await network.send(HTTPRequest(.get, redirect))
        return nil
    }
}
