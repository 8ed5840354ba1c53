import Foundation

/// What a server said about its limits for one key, as a state machine. Times are seconds.
///
/// ```
/// nothing known -quota->            limited to the rest of the quota until the end of its window
/// limited       -end of window->    nothing known; or the next window, if the server told its policy
/// any           -Retry-After->      stopped until then, quotas forgotten
/// ```
/// A server may have several quotas, of which a response tells those that it counted against. All of them limit, but
/// calls use up only the ones told last: which quota a further call belongs to is not known before its response.
struct ServerQuotas {
    private struct Quota {
        let name: String
        var remaining: Int
        var end: Double
        var policy: RateLimitLesson.Policy?
        /// The time of the last response that told of it.
        var told: Double
        /// True if the last response with quotas told of it.
        var isCurrent = true
    }

    /// The most quotas of one key; a server has one or two.
    private static let maximumCount = 8
    /// Windows are told in whole seconds: an end that moves by no more is that of the same window.
    private static let resolution = 1.0

    /// The longest wait that a response causes.
    private let longestStop: Double
    private var quotas: [Quota] = []
    private var stoppedUntil = -Double.infinity

    init(longestStop: Double = 3600) { self.longestStop = max(0, longestStop) }

    /// True if nothing is known that limits a call now.
    func isIdle(now: Double) -> Bool { stoppedUntil <= now && quotas.allSatisfy { $0.end <= now } }

    /// The time until a number of calls may be sent; each one counts, from the first.
    mutating func wait(for count: Int, now: Double) -> Double {
        guard !quotas.isEmpty || stoppedUntil > now else { return 0 }
        renew(now: now)
        return quotas.reduce(max(0, stoppedUntil - now)) { max($0, Self.wait(for: count, $1, now: now)) }
    }

    private static func wait(for count: Int, _ quota: Quota, now: Double) -> Double {
        guard count > quota.remaining else { return 0 }
        // Without a policy the rest of the calls start with the next window.
        let further = quota.policy.map { (count - quota.remaining - 1) / $0.quota } ?? 0
        return quota.end - now + Double(further) * (quota.policy?.window ?? 0)
    }

    mutating func take(now: Double) {
        guard !quotas.isEmpty else { return }
        renew(now: now)
        for index in quotas.indices where quotas[index].isCurrent {
            quotas[index].remaining = max(0, quotas[index].remaining - 1)
        }
    }

    /// Gives back what a call took that was not sent.
    mutating func giveBack() {
        for index in quotas.indices where quotas[index].isCurrent { quotas[index].remaining += 1 }
    }

    /// Begins the next window of quotas with a policy. Others are forgotten, and those not told for two windows.
    private mutating func renew(now: Double) {
        guard quotas.contains(where: { $0.end <= now }) else { return }
        quotas = quotas.compactMap { quota in
            guard quota.end <= now else { return quota }
            guard let policy = quota.policy, now - quota.told <= 2 * policy.window else { return nil }
            var quota = quota
            (quota.remaining, quota.end) = (policy.quota, now + policy.window)
            return quota
        }
    }

    mutating func learn(_ lesson: RateLimitLesson, now: Double) {
        if lesson.isThrottled, let wait = lesson.retryAfter {
            // It takes precedence over quotas (draft-ietf-httpapi-ratelimit-headers, section 7).
            quotas = []
            stoppedUntil = max(stoppedUntil, now + min(wait, longestStop))
            return
        }
        guard !lesson.quotas.isEmpty else { return }
        for index in quotas.indices { quotas[index].isCurrent = false }
        for quota in lesson.quotas { learn(quota, now: now) }
    }

    private mutating func learn(_ lesson: RateLimitLesson.Quota, now: Double) {
        var quota = Quota(
            name: lesson.name, remaining: lesson.remaining, end: now + min(lesson.window, longestStop),
            policy: lesson.policy.map { .init(quota: $0.quota, window: min($0.window, longestStop)) }, told: now)
        guard let index = quotas.firstIndex(where: { $0.name == lesson.name }) else {
            let oldest = quotas.indices.min { quotas[$0].told < quotas[$1].told }
            if quotas.count >= Self.maximumCount, let oldest { quotas.remove(at: oldest) }
            return quotas.append(quota)
        }
        let old = quotas[index]
        quota.policy = quota.policy ?? old.policy
        if old.end > now, abs(quota.end - old.end) <= Self.resolution {
            // The same window. Responses overtake each other, and some calls are still in flight: the lower number is
            // right.
            (quota.remaining, quota.end) = (min(quota.remaining, old.remaining), old.end)
        }
        quotas[index] = quota
    }
}
