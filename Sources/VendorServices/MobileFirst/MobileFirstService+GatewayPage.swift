import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

extension MobileFirstService {
    private static let gatewayCookie = "MobileFirstGateway"

    /// The login page, for a request behind the gateway without a session; otherwise nil.
    func gatewayPage(for request: HTTPRequest, to endpoint: Endpoint) throws -> HTTPResponse? {
        guard let gateway = configuration.gateway, gateway.endpoints.contains(endpoint) else { return nil }
        let cookies = request.fields.values(of: .cookie).flatMap { $0.split(separator: ";") }
        let sessions = cookies.compactMap { cookie -> String? in
            let parts = cookie.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return parts.count == 2 && parts[0] == Self.gatewayCookie ? parts[1] : nil
        }
        guard !state.withLock({ state in sessions.contains { state.gatewaySessions.contains($0) } }) else { return nil }
        let action = "\(configuration.path)/gateway/login"
        let page = """
            <!DOCTYPE html><title>Log in</title><form method="post" action="\(action)">\
            <input name="j_username"><input name="j_password" type="password"><button>Log in</button></form>
            """
        var response = request.response(gateway.status, body: Data(page.utf8))
        try response.head.fields.set(.contentType, to: "text/html; charset=utf-8")
        if gateway.status.kind == .redirection {
            try response.head.fields.set(.location, to: request.origin.text + action)
        }
        return response
    }

    func logIn(_ request: HTTPRequest, to gateway: Gateway) async throws -> HTTPResponse {
        try request.require(.post)
        let form = try await request.form()
        guard let user = form["j_username"], let password = form["j_password"], gateway.admits(user, password) else {
            throw Failure(status: .forbidden, code: "LOGIN_FAILED", text: "Unknown user or wrong password")
        }
        let session = configuration.makeID()
        state.withLock { _ = $0.gatewaySessions.insert(session) }
        var response = request.response(text: "Logged in")
        try response.head.fields.set(.setCookie, to: "\(Self.gatewayCookie)=\(session); Path=/; HttpOnly")
        return response
    }
}
