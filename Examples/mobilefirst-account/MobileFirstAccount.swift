import ExampleSupport
import Foundation
import MobileFirst
import PatchbayTestKit
import ResponseDecoding

private struct Balance: Decodable, Sendable { let amount: Int }
private struct Refusal: Decodable, Sendable { let reason: String }

/// Asks for the PIN. In an app this is a dialog; here the first PIN has a slip.
private final class PinHandler: SecurityCheckChallengeHandler {
    private var pins = ["1243", "1234"]

    override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        print("  PIN, please; attempts left: \(challenge["remainingAttempts"] ?? "?")")
        // A dialog that the user closes calls cancel(): the call then fails with `challengeCancelled`.
        guard !pins.isEmpty else { return cancel() }
        submitChallengeAnswer(["pin": pins.removeFirst()])
    }

    override func handleFailure(_ failure: [AnyHashable: Any]!) { print("  blocked:", failure["failure"] ?? "?") }
}

@main struct MobileFirstAccount: Example {
    static let name = "mobilefirst-account"
    static let summary = "An app for MobileFirst: protected adapters, a PIN, tokens, login and logout."
    static let requirements = """
        URL is a MobileFirst server, such as https://example.com/mfp, with the app com.example.account, a security check
        PinCode (1234) and the adapters Bank/balance (GET) and Bank/transfer (POST of a form with an amount), which
        return JSON with an amount, or a reason with 409. A run
        transfers 20, and sends a wrong PIN first, which some servers count.
        """
    static let path = "/mfp"

    static func startServer() throws -> LoopbackServer { try BankService.start() }

    static func run(at server: String) async throws {
        // In an app this is read from mfpclient.plist.
        try WLClient.configureShared(WLConfiguration(serverURL: server, applicationID: "com.example.account"))
        WLClient.sharedInstance().registerChallengeHandler(PinHandler(securityCheck: "PinCode"))

        print("A protected call, as old code makes it:")
        let request = WLResourceRequestSwift(url: URL(string: "/adapters/Bank/balance"), method: WLHttpMethodGet)
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            request.send { response, error in
                if let error {
                    done.resume(throwing: error)
                } else {
                    print("  balance: \(response?.responseJSON?["amount"] ?? "?")")
                    done.resume()
                }
            }
        }

        print("With async/await; the token is still good:")
        print("  after a transfer: \(try await transfer(20).amount)")
        do {
            _ = try await transfer(1_000_000)
            throw Unexpected("The server has transferred what is not there.")
        } catch let error as WLError where error.response?.status == 409 {
            let refusal = try? error.response?.decode(.json(Refusal.self))
            print("  refused: \(refusal?.reason ?? error.message)")
        }

        print("Logout, and login with a PIN from the app:")
        let manager = WLAuthorizationManagerSwift.sharedInstance()
        try await manager.logout("PinCode")
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        print("  balance: \(try await request.send(as: .json(Balance.self)).amount)")

        print("An adapter that is not there:")
        do {
            _ = try await WLResourceRequestSwift(url: URL(string: "/adapters/Bank/safe"), method: WLHttpMethodGet)
                .send()
            throw Unexpected("There is an adapter Bank/safe.")
        } catch let error as WLError {
            switch error.code {
            case .status: print("  status \(error.response?.status ?? 0)")
            case .challengeCancelled, .cancelled: print("  the user has cancelled")
            default: throw error
            }
        }
    }

    private static func transfer(_ amount: Int) async throws(WLError) -> Balance {
        let request = WLResourceRequestSwift(url: URL(string: "/adapters/Bank/transfer"), method: WLHttpMethodPost)
        return try await request.send(withFormParameters: ["amount": amount]).decode(.json(Balance.self))
    }
}
