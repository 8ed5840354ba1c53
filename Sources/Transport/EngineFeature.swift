import HTTPMessages

/// A feature that a request may ask for, and that only some engines have.
public enum EngineFeature: Hashable, Sendable {
    /// ``HTTPMessages/RequestOptions/upgradeProtocol``.
    case upgrades
    /// ``HTTPMessages/RequestOptions/unixSocketPath``.
    case unixSockets
    /// ``HTTPMessages/RequestOptions/nameOverrides``.
    case nameOverrides
    /// ``HTTPMessages/RequestOptions/httpVersion`` with this value.
    case httpVersion(HTTPVersionPreference)
    /// ``HTTPMessages/RequestOptions/continueTimeout``.
    case expectations
    /// ``HTTPMessages/RequestOptions/trailers``.
    case requestTrailers

    /// The option, for an error.
    var option: String {
        switch self {
        case .upgrades: "upgradeProtocol"
        case .unixSockets: "unixSocketPath"
        case .nameOverrides: "nameOverrides"
        case .httpVersion(let version): "httpVersion = .\(version.rawValue)"
        case .expectations: "continueTimeout"
        case .requestTrailers: "trailers"
        }
    }
}

extension RequestOptions {
    /// The features that a request with these options needs.
    var engineFeatures: [EngineFeature] {
        var features: [EngineFeature] = []
        if upgradeProtocol != nil { features.append(.upgrades) }
        if unixSocketPath != nil { features.append(.unixSockets) }
        if !nameOverrides.isEmpty { features.append(.nameOverrides) }
        if trailers != nil { features.append(.requestTrailers) }
        if continueTimeout != nil { features.append(.expectations) }
        if let httpVersion { features.append(.httpVersion(httpVersion)) }
        return features
    }
}
