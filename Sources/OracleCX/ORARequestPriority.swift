import HTTPMessages

/// How soon a request is sent. Old code writes ``Normal`` and ``Immediate``.
public enum ORARequestPriority: Hashable, Sendable {
    /// After those that were added before.
    case normal
    /// Before all normal ones that wait; the one that runs is not interrupted.
    case immediate

    var requestPriority: RequestPriority {
        switch self {
        case .normal: .normal
        case .immediate: .immediate
        }
    }
}

// The vendor's are constants of C, which Swift sees without a prefix.

/// After those requests that were added before.
public let Normal = ORARequestPriority.normal  // swift-format-ignore: AlwaysUseLowerCamelCase
/// Before all normal requests that wait.
public let Immediate = ORARequestPriority.immediate  // swift-format-ignore: AlwaysUseLowerCamelCase
