/// The operators that compare.
enum SQLComparison: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// As equality, with NULL a value like any other.
    case same, different

    /// - Parameter order: negative, zero or positive, as the left is before, with or behind the right.
    @inline(__always)
    func holds(_ order: Int) -> Bool {
        switch self {
        case .equal, .same: order == 0
        case .notEqual, .different: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// The comparison with its sides exchanged.
    var mirrored: SQLComparison {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}
