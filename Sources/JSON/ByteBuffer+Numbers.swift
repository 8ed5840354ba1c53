extension ByteBuffer {
    /// Appends an integer in decimal. Requires 20 bytes of reserved capacity.
    package mutating func put(decimal number: Int64) {
        if number < 0 { put(UInt8(ascii: "-")) }
        var length = 1
        var bound: UInt64 = 10
        while length < 19, number.magnitude >= bound {
            length += 1
            bound &*= 10
        }
        var rest = number.magnitude
        var place = count + length
        count = place
        repeat {
            place -= 1
            let next = rest / 10
            start[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- next &* 10)
            rest = next
        } while rest > 0
    }

    /// Appends a finite number as the shortest JSON that round-trips, with a fraction or an exponent.
    package mutating func append(finite number: Double) throws(JSONError) {
        // Fast path: small whole numbers need no search for the shortest text. Minus zero needs its sign.
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 50, whole != 0 {
            try reserve(22)
            put(decimal: whole)
            put(UInt8(ascii: "."))
            put(UInt8(ascii: "0"))
        } else {
            // Swift's description of a finite number is the shortest that round-trips, and is valid JSON.
            try append(number.description)
        }
    }
}
