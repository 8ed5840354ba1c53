/// A task sleep that the timer thread ends.
///
/// The standard library's clocks resume sleeping tasks through the cooperative pool. While blocking calls hold all its
/// threads, such a sleep would not end, and a timeout could not cancel the calls.
enum TimerSleep {
    // An unbounded duration could overflow the clock's instant.
    private static let longest = Duration.seconds(3600)

    /// Suspends for `duration`, at most one hour, or until the task is cancelled.
    static func sleep(for duration: Duration) async {
        let end = Promise<Void>()
        let deadline = ContinuousClock.now + min(max(duration, .zero), longest)
        let timer = TimerThread.shared.schedule(at: deadline) { end.fulfill(()) }
        await end.value { end.fulfill(()) }
        TimerThread.shared.cancel(timer, at: deadline)
    }
}
