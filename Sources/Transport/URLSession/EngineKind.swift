/// The networking library underneath URLSession. It decides what URLSession's errors look like.
enum EngineKind: CaseIterable, Sendable {
    /// libcurl, under Foundation of Linux.
    case libcurl
    /// CFNetwork, on Apple's platforms.
    case cfNetwork

    /// The one of this platform.
    static var current: EngineKind {
        #if canImport(Darwin)
            .cfNetwork
        #else
            .libcurl
        #endif
    }
}
