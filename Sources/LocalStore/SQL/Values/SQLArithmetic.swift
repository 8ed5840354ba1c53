/// Arithmetic and bitwise operators.
enum SQLArithmetic: Sendable {
    case add, subtract, multiply, divide, remainder
    case bitAnd, bitOr, shiftLeft, shiftRight
}

extension SQLArithmetic {
    /// Applies the operator; NULL if an operand is NULL or there is no result, as in a division by zero.
    func result(_ left: SQLValue, _ right: SQLValue) -> SQLValue {
        guard !left.isNull, !right.isNull else { return .null }
        switch self {
        case .add, .subtract, .multiply, .divide, .remainder: break
        case .bitAnd: return .integer(left.integerValue & right.integerValue)
        case .bitOr: return .integer(left.integerValue | right.integerValue)
        case .shiftLeft: return .integer(left.integerValue << right.integerValue)
        case .shiftRight: return .integer(left.integerValue >> right.integerValue)
        }
        if case .integer(let one) = left.numeric, case .integer(let other) = right.numeric {
            switch whole(one, other) {
            case .result(let value): return .integer(value)
            case .none: return .null
            case .overflow: break
            }
        }
        return real(left, right)
    }

    private enum Whole { case result(Int64), overflow, none }

    private func whole(_ left: Int64, _ right: Int64) -> Whole {
        let (value, isOverflow): (Int64, Bool)
        switch self {
        case .add: (value, isOverflow) = left.addingReportingOverflow(right)
        case .subtract: (value, isOverflow) = left.subtractingReportingOverflow(right)
        case .multiply: (value, isOverflow) = left.multipliedReportingOverflow(by: right)
        case .divide:
            guard right != 0 else { return .none }
            (value, isOverflow) = left.dividedReportingOverflow(by: right)
        default:
            guard right != 0 else { return .none }
            // `Int64.min % -1` overflows in Swift; the remainder is 0.
            return .result(right == -1 ? 0 : left % right)
        }
        return isOverflow ? .overflow : .result(value)
    }

    private func real(_ left: SQLValue, _ right: SQLValue) -> SQLValue {
        let (one, other) = (left.realValue, right.realValue)
        let result: Double
        switch self {
        case .add: result = one + other
        case .subtract: result = one - other
        case .multiply: result = one * other
        case .divide:
            guard other != 0 else { return .null }
            result = one / other
        default:
            // `%` converts both operands to integers.
            let divisor = right.integerValue
            guard divisor != 0 else { return .null }
            result = divisor == -1 ? 0 : Double(left.integerValue % divisor)
        }
        return result.isNaN ? .null : .real(result)
    }
}
