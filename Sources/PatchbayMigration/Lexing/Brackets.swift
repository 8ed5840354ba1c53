/// The matching bracket of each bracket in a list of tokens, found with a stack.
struct Brackets {
    private var partners: [Int32]
    /// For each token the opening brace of the block around it, or -1.
    private var blocks: [Int32]

    init(_ tokens: [Token]) {
        partners = Array(repeating: -1, count: tokens.count)
        blocks = partners
        var open: [(index: Int, close: UInt8)] = []
        for (index, token) in tokens.enumerated() {
            guard case .sign(let sign) = token.kind else { continue }
            switch sign {
            case UInt8(ascii: "("): open.append((index, UInt8(ascii: ")")))
            case UInt8(ascii: "["): open.append((index, UInt8(ascii: "]")))
            case UInt8(ascii: "{"): open.append((index, UInt8(ascii: "}")))
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                // One that closes nothing is left alone.
                guard let last = open.last, last.close == sign else { continue }
                open.removeLast()
                partners[last.index] = Int32(index)
                partners[index] = Int32(last.index)
            default: break
            }
        }
        readBlocks(tokens)
    }

    private mutating func readBlocks(_ tokens: [Token]) {
        var open: [Int32] = []
        for index in tokens.indices {
            blocks[index] = open.last ?? -1
            if tokens[index].isSign("{"), partners[index] >= 0 {
                open.append(Int32(index))
            } else if tokens[index].isSign("}"), partners[index] >= 0 {
                open.removeLast()
            }
        }
    }

    /// The end of the block around a token; the end of the file if there is none.
    func endOfBlock(around index: Int) -> Int {
        blocks.indices.contains(index) && blocks[index] >= 0 ? self[Int(blocks[index])] ?? Int.max : Int.max
    }

    /// The index of the other bracket, if there is one.
    subscript(index: Int) -> Int? {
        partners.indices.contains(index) && partners[index] >= 0 ? Int(partners[index]) : nil
    }
}
