import Foundation
import HTTPMessages
import PatchbayTestKit
import SignIn
import TestSupport
import Testing
import Transport

@testable import oauth_login

@Suite struct LocalBrowserTests {
    private static let redirect = "http://127.0.0.1:4711/callback?code=1"

    /// The URLs that the app itself and the user's browser get for a page; the server redirects to `location`.
    private func opened(_ url: String, location: String?) async throws -> (app: [String], user: [String]) {
        let (app, user) = (Watched<[String]>([]), Watched<[String]>([]))
        let network = FakeTransport { request in
            app.update { $0.append(request.url.absoluteString) }
            var response = request.response(.found)
            response.head.fields[.location] = location
            return response
        }
        let browser = LocalBrowser(
            over: network,
            otherwise: ClosureBrowser { page in
                user.update { $0.append(page.url.absoluteString) }
                return nil
            })
        let page = SignInPage(url: try URL(httpString: url), redirectURI: "http://127.0.0.1:4711/callback")
        #expect(try await browser.open(page) == nil)
        return (app.value, user.value)
    }

    @Test func `the page of a real server is opened by the user's browser only`() async throws {
        for url in ["https://login.example/authorize", "http://localhost:8080/authorize"] {
            let (app, user) = try await opened(url, location: Self.redirect)
            #expect(app.isEmpty && user == [url])
        }
    }

    @Test func `a server on this machine without a page is followed to the listener`() async throws {
        let url = "http://127.0.0.1:8080/authorize"
        let (app, user) = try await opened(url, location: Self.redirect)
        #expect(app == [url, Self.redirect] && user.isEmpty)
    }

    @Test(arguments: [nil, "/login", "https://login.example/"])
    func `a server on this machine with a page is shown to the user`(location: String?) async throws {
        let url = "http://127.0.0.1:8080/authorize"
        let (app, user) = try await opened(url, location: location)
        #expect(app == [url] && user == [url])
    }
}
