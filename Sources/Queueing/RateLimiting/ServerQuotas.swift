import Foundation

/// What a server said about its limits for one key, as a state machine. Times are seconds.
///
/// ```
/// nothing known -quota->            limited to the rest of the quota until the end of its window
/// limited       -end of window->    nothing known; or the next window, if the server told its policy
/// any           -Retry-After->      stopped until then, quotas forgotten
/// ```
struct ServerQuotas {
    private struct Quota {
        let name: String
        var remaining: Int
        var end: Double
        var policy: RateLimitLesson.Policy?
    }

    /// The most quotas of one key; a server has one or two.
    private static let maximumCount = 8
    /// Windows are told in whole seconds: an end that moves by less is that of the same window.
    private static let resolution = 1.0

    private var quotas: [Quota] = []
    private var stoppedUntil = -Double.infinity

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
        for index in quotas.indices { quotas[index].remaining = max(0, quotas[index].remaining - 1) }
    }

    /// Begins the next window of quotas with a policy, and forgets others whose window has ended.
    private mutating func renew(now: Double) {
        guard quotas.contains(where: { $0.end <= now }) else { return }
        quotas = quotas.compactMap { quota in
            guard quota.end <= now else { return quota }
            guard let policy = quota.policy else { return nil }
            var quota = quota
            (quota.remaining, quota.end) = (policy.quota, now + policy.window)
            return quota
        }
    }

    mutating func learn(_ lesson: RateLimitLesson, now: Double) {
        if lesson.isThrottled, let wait = lesson.retryAfter {
            // It takes precedence over quotas (draft-ietf-httpapi-ratelimit-headers, section 7).
            quotas = []
            stoppedUntil = max(stoppedUntil, now + wait)
            return
        }
        for quota in lesson.quotas { learn(quota, now: now) }
    }

    private mutating func learn(_ lesson: RateLimitLesson.Quota, now: Double) {
        let end = now + lesson.window
        guard let index = quotas.firstIndex(where: { $0.name == lesson.name }) else {
            guard quotas.count < Self.maximumCount else { return }
            return quotas.append(
                Quota(name: lesson.name, remaining: lesson.remaining, end: end, policy: lesson.policy))
        }
        quotas[index].policy = lesson.policy ?? quotas[index].policy
        let isSameWindow = quotas[index].end > now && end <= quotas[index].end + Self.resolution
        if isSameWindow {
            // Responses overtake each other, and some calls are still in flight: the lower number is right.
            quotas[index].remaining = min(quotas[index].remaining, lesson.remaining)
        } else {
            (quotas[index].remaining, quotas[index].end) = (lesson.remaining, end)
        }
    }
}
