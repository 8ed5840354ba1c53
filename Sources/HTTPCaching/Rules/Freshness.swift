import Foundation
import HTTPMessages

/// Age and lifetime of a stored response (RFC 9111, section 4.2), in seconds since 1970.
struct Freshness: Hashable, Sendable {
    static let century = 100.0 * 365 * 86_400

    /// The time at which the response was received, or confirmed by a 304.
    let responseTime: Double
    /// The age that the response had then.
    let initialAge: Double
    /// The age up to which it is fresh.
    let lifetime: Double

    /// - Parameters:
    ///   - requestTime: the time at which the request was sent.
    ///   - directives: those of the response.
    init(
        _ status: HTTPStatus, _ fields: HTTPFields, _ directives: ResponseDirectives, requestTime: Double,
        responseTime: Double, rules: CacheRules
    ) {
        let date = fields[.date].flatMap { HTTPDate(strictly: $0) }?.seconds ?? responseTime
        let delay = max(0, responseTime - requestTime)
        initialAge = max(max(0, responseTime - date), Self.statedAge(fields) + delay)
        self.responseTime = responseTime
        if rules.isShared, let seconds = directives.sharedMaxAge {
            lifetime = seconds
        } else if let seconds = directives.maxAge {
            lifetime = seconds
        } else if let expires = fields[.expires] {
            // Several fields are one text here, and no date.
            lifetime = HTTPDate(strictly: expires).map { max(0, $0.seconds - date) } ?? 0
        } else {
            lifetime = Self.heuristicLifetime(status, fields, directives, date: date, rules)
        }
    }

    /// The first number in `Age`; 0 if that is malformed (RFC 9111, section 5.1).
    private static func statedAge(_ fields: HTTPFields) -> Double {
        guard let text = fields[.age] else { return 0 }
        let first = text.split(separator: ",", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return first.trimmingHTTPWhitespace.deltaSeconds ?? 0
    }

    private static func heuristicLifetime(
        _ status: HTTPStatus, _ fields: HTTPFields, _ directives: ResponseDirectives, date: Double, _ rules: CacheRules
    ) -> Double {
        guard status.isHeuristicallyCacheable || directives.isPublic,
            let modified = fields[.lastModified].flatMap({ HTTPDate(strictly: $0) })?.seconds, modified < date
        else { return 0 }
        return min((date - modified) * rules.heuristicFraction, rules.maximumHeuristicLifetime / .seconds(1))
    }

    /// The age at a time.
    func age(at now: Double) -> Double { initialAge + max(0, now - responseTime) }

    /// The time until the expiry; negative for a stale response.
    ///
    /// If the clock was set back behind the response, its age is unknown and it counts as stale.
    func timeToLive(at now: Double) -> Double {
        let rest = lifetime - age(at: now)
        return Self.isFuture(responseTime, at: now) ? min(rest, 0) : rest
    }

    /// True if the clock was set back behind the receipt of a response.
    static func isFuture(_ responseTime: Double, at now: Double) -> Bool { now < responseTime - 1 }
}

extension Double {
    /// Whole seconds, without the fraction.
    var wholeSeconds: Int { wholeSeconds(.towardZero) }

    /// Whole seconds of a time to live: more than 0 exactly while it is.
    var wholeSecondsToLive: Int { wholeSeconds(.up) }

    private func wholeSeconds(_ rule: FloatingPointRoundingRule) -> Int {
        Int(Swift.min(Swift.max(rounded(rule), -Freshness.century), 3 * Freshness.century))
    }
}

extension HTTPDate {
    /// Seconds since 1970.
    var seconds: Double { date.timeIntervalSince1970 }
}

extension HTTPStatus {
    /// True for statuses whose responses may be stored without an explicit lifetime (RFC 9110, section 15.1).
    var isHeuristicallyCacheable: Bool {
        switch code {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// True for statuses whose caching rules this cache knows, for `must-understand`.
    var isUnderstood: Bool {
        switch code {
        case 200, 203, 204, 206, 300...303, 307, 308, 400...405, 410, 414, 500...504: true
        default: false
        }
    }

    /// True for the errors in whose place a stale response may be used (RFC 5861, section 4).
    var isServerFailure: Bool {
        switch code {
        case 500, 502, 503, 504: true
        default: false
        }
    }
}
