import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit

/// A handler that submits credentials in turn, cancels without more, and records its calls.
final class CheckHandler: SecurityCheckChallengeHandler {
    let log = Watched<[String]>([])
    /// Nil neither submits nor cancels.
    var credentials: [[String: Any]]?

    init(_ check: String, _ credentials: [[String: Any]]?) {
        self.credentials = credentials
        super.init(securityCheck: check)
    }

    override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        let attempts = (challenge["remainingAttempts"] as? Int).map { " \($0)" } ?? ""
        log.update { $0.append("challenge\(attempts)") }
        guard credentials != nil else { return }
        guard let next = credentials?.first else { return cancel() }
        credentials?.removeFirst()
        submitChallengeAnswer(next)
    }

    override func handleSuccess(_ success: [AnyHashable: Any]!) { log.update { $0.append("success") } }

    override func handleFailure(_ failure: [AnyHashable: Any]!) {
        let reason = (failure["failure"] as? String).map { " \($0)" } ?? ""
        log.update { $0.append("failure\(reason)") }
    }
}
