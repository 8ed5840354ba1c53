import Foundation
import HTTPMessages
import ResponseDecoding

/// A response of the preauthorization endpoint.
enum PreauthorizationResponse: Hashable, Sendable {
    /// Status 200 with a JSON object, or without a body: the identities by check.
    case successes([String: JSONValue])
    /// Status 401 with `MFP-Challenge`: the challenges by check.
    case challenges([String: JSONValue])
    /// Status 403: the failures by check.
    case failures([String: JSONValue])
    case other

    init(_ response: HTTPResponse) {
        let object = (try? JSONValue(parsing: response.jsonBody))?.object
        let body = object ?? [:]
        switch response.status {
        case .ok:
            let isMalformed = object == nil && !response.body.isEmpty
            self = isMalformed ? .other : .successes(body["successes"]?.object ?? [:])
        case .unauthorized where response.head.isChallengeOfMobileFirst:
            let challenges = body["challenges"]?.object ?? [:]
            self = challenges.isEmpty ? .other : .challenges(challenges)
        case .forbidden:
            let failures = body["failures"]?.object ?? [:]
            self = failures.isEmpty ? .other : .failures(failures)
        default:
            self = .other
        }
    }

    /// The server's time in a response; nil without one, and if it is not from 1970 to 9999.
    static func serverTime(_ response: HTTPResponse) -> Date? {
        let successes = (try? JSONValue(parsing: response.jsonBody))?["successes"]
        guard let milliseconds = successes?["clockSynchronization"]?["serverTimeStamp"]?.double,
            (0...253_402_300_799_999).contains(milliseconds)
        else { return nil }
        return Date(timeIntervalSince1970: milliseconds / 1000)
    }
}

extension HTTPResponseHead {
    /// True with a challenge for security checks.
    var isChallengeOfMobileFirst: Bool {
        fields.values(of: .wwwAuthenticate).contains { $0.lowercased().hasPrefix("mfp-challenge") }
    }
}
