public import Transport

extension Transport where Self == URLSessionTransport {
    /// A network transport whose deadlines never pass, so tests do not depend on the machine's speed.
    public static var withoutDeadlines: URLSessionTransport { timeless }
}

private let timeless = URLSessionTransport(clock: ManualClock())
