/// The condition of a request with an entity tag.
public enum SDMEtagMatchType: Hashable, Sendable, CaseIterable {
    /// `If-Match`
    case ifMatch
    /// `If-None-Match`
    case ifNoneMatch
    /// `If-Range`
    case ifRange

    /// The vendor's name of ``ifMatch``.
    public static let EtagIfMatch = SDMEtagMatchType.ifMatch
    /// The vendor's name of ``ifNoneMatch``.
    public static let EtagIfNoneMatch = SDMEtagMatchType.ifNoneMatch
    /// The vendor's name of ``ifRange``.
    public static let EtagIfRange = SDMEtagMatchType.ifRange

    var header: String {
        switch self {
        case .ifMatch: "If-Match"
        case .ifNoneMatch: "If-None-Match"
        case .ifRange: "If-Range"
        }
    }
}
