/// Numbers the parameters of a statement as SQLite does (sqlite.org/lang_expr.html, section 3): `?` takes the largest
/// number so far plus one; equal names share a number.
package struct SQLParameters {
    /// The largest number of a parameter, by default in SQLite.
    package static let maximumNumber = 32_766

    package private(set) var count = 0
    /// Keyed by bytes: canonically equivalent names are different parameters.
    private var names: [[UInt8]: Int] = [:]

    package init() {}

    /// - Returns: the parameter's index, from 0.
    package mutating func index(number: Int?) -> Int {
        let number = number ?? count + 1
        count = max(count, number)
        return number - 1
    }

    package mutating func index(name: String) -> Int {
        let bytes = Array(name.utf8)
        if let index = names[bytes] { return index }
        let index = index(number: nil)
        names[bytes] = index
        return index
    }
}
