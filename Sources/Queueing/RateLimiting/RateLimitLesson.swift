import Foundation
import HTTPMessages
import Transport

/// What a response says about the server's limits.
struct RateLimitLesson: Equatable {
    /// A quota that is renewed in each window.
    struct Policy: Equatable {
        /// At least 1.
        var quota: Int
        /// In seconds, more than zero.
        var window: Double
    }
    /// The rest of a quota.
    struct Quota: Equatable {
        var name: String
        var remaining: Int
        /// The seconds until the end of its window.
        var window: Double
        var policy: Policy?
    }

    /// True for a 429, and for a 503 with `Retry-After`.
    var isThrottled = false
    /// The wait in seconds that a throttled response asks for.
    var retryAfter: Double?
    var quotas: [Quota] = []

    private static let fields: [HTTPFieldName] = [.rateLimit] + olderFields.map(\.remaining)
    private static let olderFields: [(remaining: HTTPFieldName, reset: HTTPFieldName)] = [
        (.rateLimitRemaining, .rateLimitReset), (.xRateLimitRemaining, .xRateLimitReset),
        (.xRateDashLimitRemaining, .xRateDashLimitReset),
    ]

    /// - Parameter date: the wall clock, for a time that the response's `Date` does not relate to.
    /// - Returns: nil if the response says nothing, as most do.
    init?(_ head: HTTPResponseHead, date: () -> Date) {
        let status = head.status
        let mayThrottle = status == .tooManyRequests || status == .serviceUnavailable
        guard mayThrottle || head.fields.contains(anyOf: Self.fields), !head.isLocal else { return nil }
        if mayThrottle {
            retryAfter = head.retryAfter(at: date())?.inSeconds
            isThrottled = status == .tooManyRequests || retryAfter != nil
        }
        // A cache on the way stored the quotas of an earlier time.
        if Self.number(head.fields[.age]) ?? 0 == 0 {
            quotas = Self.quotas(head.fields) ?? Self.dictionaryQuota(head.fields) ?? Self.olderQuota(head.fields, date)
        }
        guard isThrottled || !quotas.isEmpty else { return nil }
    }

    init(isThrottled: Bool = false, retryAfter: Double? = nil, quotas: [Quota] = []) {
        (self.isThrottled, self.retryAfter, self.quotas) = (isThrottled, retryAfter, quotas)
    }

    // MARK: draft-ietf-httpapi-ratelimit-headers

    /// `RateLimit: "default";r=50;t=30`, with `RateLimit-Policy: "default";q=100;w=60`.
    ///
    /// A malformed field is ignored, and so are quotas of bytes and of concurrent requests.
    private static func quotas(_ fields: HTTPFields) -> [Quota]? {
        guard let text = fields[.rateLimit], let list = try? StructuredList(parsing: text) else { return nil }
        let policies = policies(fields)
        return list.members.compactMap { member in
            guard let item = member.item, let name = item.value.text,
                let remaining = item.parameters["r"]?.integer, remaining >= 0
            else { return nil }
            let policy = policies.first { $0.name == name }
            guard policy?.countsRequests ?? true else { return nil }
            guard let window = item.parameters["t"]?.integer.map({ Double($0) }) ?? policy?.window, window >= 0 else {
                return nil
            }
            return Quota(
                name: name, remaining: Int(remaining), window: min(window, .century),
                policy: Policy(quota: policy?.quota, window: policy?.window))
        }
    }

    /// `RateLimit: limit=100, remaining=50, reset=5`, as in the draft's seventh version.
    private static func dictionaryQuota(_ fields: HTTPFields) -> [Quota]? {
        guard let text = fields[.rateLimit], let map = try? StructuredDictionary(parsing: text),
            let remaining = map["remaining"]?.value?.integer, let reset = map["reset"]?.value?.integer,
            remaining >= 0, reset >= 0
        else { return nil }
        let limit = map["limit"]?.value?.integer
        let window = policies(fields).first { $0.quota == limit }?.window
        return [
            Quota(
                name: "", remaining: Int(remaining), window: min(Double(reset), .century),
                policy: Policy(quota: limit, window: window))
        ]
    }

    private struct PolicyItem {
        var name: String?
        var quota: Int64?
        var window: Double?
        var countsRequests: Bool
    }

    private static func policies(_ fields: HTTPFields) -> [PolicyItem] {
        guard let text = fields[.rateLimitPolicy], let list = try? StructuredList(parsing: text) else { return [] }
        return list.members.compactMap(\.item).map { item in
            PolicyItem(
                name: item.value.text, quota: item.parameters["q"]?.integer ?? item.value.integer,
                window: item.parameters["w"]?.integer.flatMap { $0 > 0 ? min(Double($0), .century) : nil },
                countsRequests: item.parameters["qu"].map { $0.text == "requests" } ?? true)
        }
    }

    // MARK: Older fields

    private static func olderQuota(_ fields: HTTPFields, _ date: () -> Date) -> [Quota] {
        for (remainingName, resetName) in olderFields {
            guard let remaining = number(fields[remainingName]), let reset = number(fields[resetName]),
                let window = seconds(
                    untilReset: reset, now: { fields[.date].flatMap { HTTPDate(parsing: $0)?.date } ?? date() })
            else { continue }
            let name = fields[.xRateLimitResource] ?? ""
            return [Quota(name: name, remaining: Int(min(remaining, 1e9)), window: window)]
        }
        return []
    }

    /// Reads the several forms of a `-Reset`: seconds from now, or a time in seconds or milliseconds since 1970.
    ///
    /// They do not overlap: 10^9 seconds are 31 years as a wait and the year 2001 as a time; 10^12 milliseconds too.
    /// - Returns: nil for a number beyond all forms: 10^14 milliseconds are the year 5138.
    private static func seconds(untilReset reset: Double, now: () -> Date) -> Double? {
        guard reset < 1e14 else { return nil }
        let wait =
            switch reset {
            case ..<1e9: reset
            case ..<1e12: reset - now().timeIntervalSince1970
            default: reset / 1000 - now().timeIntervalSince1970
            }
        return min(max(0, wait), .century)
    }

    /// Digits, with decimals or not.
    private static func number(_ text: String?) -> Double? {
        guard let text, (1...32).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(text)
    }
}

extension RateLimitLesson.Policy {
    fileprivate init?(quota: Int64?, window: Double?) {
        guard let quota, quota > 0, let window else { return nil }
        self.init(quota: Int(quota), window: window)
    }
}
