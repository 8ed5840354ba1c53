import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import ResponseDecoding
import VendorServices

/// Shows a login by PIN and protected calls with MobileFirst's API.
func mobileFirstTour(_ server: LoopbackServer) async throws {
    let transcript = Transcript(server: server)
    try WLClient.configureShared(
        WLConfiguration(serverURL: "http://127.0.0.1:\(server.port)/mfp", applicationID: "com.example.tour"))
    WLClient.sharedInstance().registerChallengeHandler(TourPinHandler(securityCheck: "PinCode"))
    await callProtected(transcript)
    try await logIn(transcript)
}

/// A handler whose first PIN is wrong.
private final class TourPinHandler: SecurityCheckChallengeHandler {
    private var pins = ["0000", "1234"]

    override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        print("   < PIN, please; attempts left: \(challenge["remainingAttempts"] ?? "?")")
        guard !pins.isEmpty else { return cancel() }
        submitChallengeAnswer(["pin": pins.removeFirst()])
    }
}

/// Calls a protected adapter, as old code does. The handler is asked for the PIN.
private func callProtected(_ transcript: Transcript) async {
    transcript.section("A protected adapter: registration, a PIN, a token, and the call again")
    // show
    let request = WLResourceRequestSwift(url: URL(string: "/adapters/Bank/balance"), method: WLHttpMethodGet)
    request.setQueryParameterValue("42", forName: "account")
    await withCheckedContinuation { done in
        request.send { response, error in
            transcript.showRequests()
            let scope = response?.responseJSON?["scope"] ?? error?.localizedDescription ?? ""
            transcript.showResult("balance: status \(response?.status ?? 0), scope \(scope)")
            done.resume()
        }
    }
    // end
}

/// Logs out and in with async/await.
private func logIn(_ transcript: Transcript) async throws {
    transcript.section("Logout, login by PIN, and a typed response")
    // show
    let manager = WLAuthorizationManagerSwift.sharedInstance()
    try await manager.logout("PinCode")
    try await manager.login("PinCode", withCredentials: ["pin": "1234"])
    let request = WLResourceRequestSwift(url: URL(string: "/adapters/Bank/balance"), method: WLHttpMethodGet)
    let echo = try await request.send(as: .json(Balance.self))
    // end
    transcript.showRequests()
    transcript.showResult("logged in, \(echo.method) with scope \(echo.scope)")
}

private struct Balance: Decodable {
    let method: String
    let scope: String
}
