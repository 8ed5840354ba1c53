public import Transport

/// What a cache did for a request, as an event of its transfer.
///
/// ```swift
/// if case .layer(let event as CacheEvent) = event, case .status(let status) = event { print(status) }
/// ```
@nonexhaustive public enum CacheEvent: LayerEvent {
    /// How the request was handled; once for each response.
    case status(CacheStatus)
    /// The storage failed, so that the cache had nothing or stored nothing. The call is not affected.
    case storageFailed(String)

    /// The status, or what failed; without secrets.
    public var description: String {
        switch self {
        case .status(let status): "cache: \(status)"
        case .storageFailed(let reason): "cache failed: \(reason)"
        }
    }
}
