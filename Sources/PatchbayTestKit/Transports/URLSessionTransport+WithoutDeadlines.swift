public import Transport

extension Transport where Self == URLSessionTransport {
    /// A network transport whose deadlines never come, so that a slow machine fails no test.
    public static var withoutDeadlines: URLSessionTransport { timeless }
}

private let timeless = URLSessionTransport(clock: ManualClock())
