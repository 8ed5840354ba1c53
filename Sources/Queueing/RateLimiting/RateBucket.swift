import HTTPMessages

/// The limits of one key: those of the app, of the adaptive rate and of the server. Times are seconds.
struct RateBucket {
    private var tokens: TimedTokenBucket?
    private var cubic: CubicRate?
    private var quotas: ServerQuotas

    init(_ limit: RateLimit, now: Double) {
        if let requests = limit.requests {
            tokens = TimedTokenBucket(
                rate: Double(requests) / limit.period.duration.inSeconds, capacity: Double(limit.burst), now: now)
        }
        quotas = ServerQuotas(longestStop: limit.longestStop.bounded.inSeconds)
        if limit.isAdaptive { cubic = CubicRate(now: now) }
    }

    /// Takes a token if there is one.
    mutating func takeIfReady(now: Double) -> Bool {
        guard wait(forCall: 1, now: now) == 0 else { return false }
        tokens?.take(1)
        cubic?.take()
        quotas.take(now: now)
        return true
    }

    /// Gives back the token of a call that was not sent.
    mutating func giveBack() {
        tokens?.giveBack()
        cubic?.giveBack()
        quotas.giveBack()
    }

    /// The time until the call at a position of the waiting ones, from 1, may be sent.
    mutating func wait(forCall position: Int, now: Double) -> Double {
        let own = tokens?.wait(for: Double(position), now: now) ?? 0
        let adaptive = cubic?.wait(for: Double(position), now: now) ?? 0
        return max(own, adaptive, quotas.wait(for: position, now: now))
    }

    mutating func responseReceived(_ lesson: RateLimitLesson?, now: Double) {
        cubic?.responseReceived(isThrottled: lesson?.isThrottled ?? false, now: now)
        guard let lesson else { return }
        quotas.learn(lesson, now: now)
        // The server counted more requests than the bucket, and did not say how long to wait.
        if lesson.isThrottled, lesson.retryAfter == nil { tokens?.drain() }
    }

    /// True if a new bucket would decide as this one, apart from the adaptive rate.
    func isFull(now: Double) -> Bool {
        (tokens?.isFull(now: now) ?? true) && (cubic.map { !$0.isLimiting || $0.bucket.isFull(now: now) } ?? true)
            && quotas.isIdle(now: now)
    }
}
