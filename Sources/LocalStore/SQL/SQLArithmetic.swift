/// The operators that make numbers of numbers.
enum SQLArithmetic: Sendable {
    case add, subtract, multiply, divide, remainder
    case bitAnd, bitOr, shiftLeft, shiftRight
}
