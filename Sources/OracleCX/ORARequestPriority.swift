import Queueing

/// The priority of a request. Old code writes ``Normal`` and ``Immediate``.
public enum ORARequestPriority: Hashable, Sendable {
    /// FIFO, after all waiting immediate requests.
    case normal
    /// Before all waiting normal requests; running ones are not interrupted.
    case immediate

    var requestPriority: RequestPriority {
        switch self {
        case .normal: .normal
        case .immediate: .high
        }
    }
}

// The vendor's constants are C enum cases, which Swift imports as globals without a prefix.

/// Normal priority: FIFO, after all waiting ``Immediate`` requests.
public let Normal = ORARequestPriority.normal  // swift-format-ignore: AlwaysUseLowerCamelCase
/// High priority: before all waiting ``Normal`` requests.
public let Immediate = ORARequestPriority.immediate  // swift-format-ignore: AlwaysUseLowerCamelCase
