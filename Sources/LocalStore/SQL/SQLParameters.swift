/// Numbers the parameters of a statement as SQLite does (sqlite.org/lang_expr.html, section 3): `?` takes the number
/// behind the largest so far, the same name is the same parameter.
struct SQLParameters {
    private(set) var count = 0
    /// By their bytes: names that only look the same are two.
    private var names: [[UInt8]: Int] = [:]

    /// - Returns: the parameter's place, from 0.
    mutating func place(number: Int?) -> Int {
        let number = number ?? count + 1
        count = max(count, number)
        return number - 1
    }

    mutating func place(name: String) -> Int {
        let bytes = Array(name.utf8)
        if let place = names[bytes] { return place }
        let place = place(number: nil)
        names[bytes] = place
        return place
    }
}
