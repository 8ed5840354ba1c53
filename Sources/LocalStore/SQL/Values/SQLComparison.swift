/// Comparison operators.
enum SQLComparison: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// IS and IS NOT: NULL equals NULL.
    case same, different

    /// - Parameter order: three-way comparison of left and right: negative, zero or positive.
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

    /// The comparison with its operands swapped.
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
