import ExampleSupport
import Patchbay
import PatchbayTestKit

@main struct OAuthSignIn: Example {
    static let name = "oauth-login"
    static let summary =
        "Sign in with OAuth 2.0 and PKCE: a browser, a listener on this machine, refreshing, signing out."
    static let requirements = """
        URL is an issuer with metadata at /.well-known/openid-configuration, a public client "shop" that may redirect to
        any port of http://127.0.0.1/callback, and the scope orders. GET /orders there needs a token of this scope, and
        returns a list of texts. The system's browser opens, unless the server is on 127.0.0.1 and shows no page.
        """

    static func startServer() throws -> LoopbackServer { try LoopbackServer(service: LoginService()) }

    /// The network, with a line for each response: what the server sees of a sign-in.
    private static let network = URLSessionTransport.shared.onResponse { head, request in
        print("  log: \(request.method) \(request.url.path()): \(head.status)")
    }

    static func run(at server: String) async throws {
        try await ScratchFolder.with { folder in
            // Readable by the owner only. An app on Apple's platforms has the keychain.
            let store = FileTokenStore(at: folder.appending(path: "tokens.json"))
            let login = try OAuthLogin(
                .discover(server), client: "shop", redirect: .loopback, store: store, over: network)

            print("Without a question to the user:")
            do {
                _ = try await login.tokens(scopes: ["orders"], opening: LocalBrowser(), parameters: ["prompt": "none"])
                print("  the browser was signed in")
            } catch let error as SignInError where error.code == .refused {
                print("  \(error.oauthError ?? "refused")")
            }

            print("With the user:")
            let tokens = try await login.tokens(scopes: ["orders"], opening: LocalBrowser())
            let shop = try client(server, tokens)
            // The token expires meanwhile; it is refreshed once, for all requests that need it.
            for _ in 1...3 { print("  orders: \(try await shop.get("orders") as [String])") }

            print("The app is started again:")
            let later = try OAuthLogin(
                .discover(server), client: "shop", redirect: .loopback, store: store, over: network)
            guard let stored = try await later.storedTokens(scopes: ["orders"]) else {
                throw Unexpected("The tokens are not in the store.")
            }
            print("  still signed in, orders: \(try await client(server, stored).get("orders") as [String])")
            do {
                try await later.signOut(stored)
                print("Signed out, here and at the server.")
            } catch let error as SignInError where error.code == .revocationFailed {
                print("Signed out here only.")
            }
            print("  stored tokens: \(try await later.storedTokens(scopes: ["orders"]) == nil ? "none" : "some")")
        }
    }

    private static func client(_ server: String, _ tokens: OAuthClient) throws -> APIClient {
        try APIClient(server, over: .standard(over: network).authorizing(with: tokens, at: .baseURL))
    }
}
