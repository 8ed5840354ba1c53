public import HTTPMessages

private enum PriorityKey: RequestOptionKey { static var defaultValue: RequestPriority { .normal } }
private enum ReleasesSlotAtHeadKey: RequestOptionKey { static var defaultValue: Bool { false } }
private enum TagKey: RequestOptionKey { static var defaultValue: String? { nil } }
private enum IdempotencyKeyKey: RequestOptionKey { static var defaultValue: String? { nil } }
/// The limit of the call.
private enum MaximumAttemptsKey: RequestOptionKey { static var defaultValue: Int? { nil } }
/// The limit that a layer sets for those below, in place of that of the call.
private enum LayerMaximumAttemptsKey: RequestOptionKey { static var defaultValue: Int? { nil } }

extension RequestOptions {
    /// The position among queued requests; default ``RequestPriority/normal``.
    public var priority: RequestPriority {
        get { self[PriorityKey.self] }
        set { self[PriorityKey.self] = newValue }
    }

    /// Whether a stream gives back its slot of a queue when its head has arrived, as a WebSocket does; default false.
    ///
    /// For streams without an end, such as server-sent events, which would hold a slot for hours. From then on the
    /// queue does not know the request: ``RequestQueue/cancel(tag:)`` does not end it, so cancel its task.
    public var releasesSlotAtHead: Bool {
        get { self[ReleasesSlotAtHeadKey.self] }
        set { self[ReleasesSlotAtHeadKey.self] = newValue }
    }

    /// A name for a request or a group of requests, by which a queue cancels them; default nil.
    public var tag: String? {
        get { self[TagKey.self] }
        set { self[TagKey.self] = newValue }
    }

    /// The most attempts, the first one included; 1 disables retries. Default nil: each layer has its own limit.
    ///
    /// Of layers that retry, hedge or change the host, the outermost uses it and the inner ones send once. Redirects
    /// do not count, nor attempts that ``WaitingForConnectivity`` has held; with 1 it holds only what was certainly not
    /// sent.
    public var maximumAttempts: Int? {
        get { hasLayerOptions ? self[LayerMaximumAttemptsKey.self] ?? self[MaximumAttemptsKey.self] : nil }
        set {
            self[MaximumAttemptsKey.self] = newValue
            self[LayerMaximumAttemptsKey.self] = nil
        }
    }

    /// True if the call allows one attempt only, regardless of what a layer leaves to those below.
    var sendsOnce: Bool { (self[MaximumAttemptsKey.self] ?? .max) <= 1 }

    /// Lets the layers below send once if the call limits its attempts: this layer uses the limit.
    mutating func useAttempts() {
        if maximumAttempts != nil { self[LayerMaximumAttemptsKey.self] = 1 }
    }

    /// The `Idempotency-Key` of the request; default nil: as ``Retrying`` is set.
    ///
    /// With one the request is safe to send twice, regardless of its method: ``Retrying``, ``Hedging`` and
    /// ``WaitingForConnectivity`` may send it again, and all attempts have the key. A field of the request's own wins.
    /// The requests of a resumable upload have no key.
    public var idempotencyKey: String? {
        get { hasLayerOptions ? self[IdempotencyKeyKey.self] : nil }
        set { self[IdempotencyKeyKey.self] = newValue }
    }
}
