/// What client and server have agreed on for permessage-deflate (RFC 7692, section 7.1).
package struct CompressionAgreement: Hashable, Sendable {
    package var serverContextTakeover = true
    package var clientContextTakeover = true
    package var serverWindowBits = 15
    package var clientWindowBits = 15

    /// The parameters of an offer or a response.
    private struct Parameters {
        var serverNoContextTakeover = false
        var clientNoContextTakeover = false
        var serverWindowBits: Int?
        /// 0 for the parameter without a value.
        var clientWindowBits: Int?

        /// Nil for an unknown, repeated or invalid parameter.
        init?(_ element: WebSocketExtension) {
            var names: Set<String> = []
            for parameter in element.parameters {
                guard names.insert(parameter.name).inserted else { return nil }
                switch (parameter.name, parameter.value) {
                case ("server_no_context_takeover", nil): serverNoContextTakeover = true
                case ("client_no_context_takeover", nil): clientNoContextTakeover = true
                case ("server_max_window_bits", let value?):
                    guard let bits = Self.bits(value) else { return nil }
                    serverWindowBits = bits
                case ("client_max_window_bits", nil): clientWindowBits = 0
                case ("client_max_window_bits", let value?):
                    guard let bits = Self.bits(value) else { return nil }
                    clientWindowBits = bits
                default: return nil
                }
            }
        }

        /// 8 to 15, without leading zeros.
        private static func bits(_ text: String) -> Int? {
            (8...15).first { String($0) == text }
        }
    }

    /// The client's offer.
    static func offer(_ options: WebSocketCompression) -> WebSocketExtension {
        var offer = WebSocketExtension(name: WebSocketExtension.deflate)
        func add(_ name: String, _ value: String? = nil) { offer.parameters.append(.init(name: name, value: value)) }
        if !options.serverContextTakeover { add("server_no_context_takeover") }
        if !options.clientContextTakeover { add("client_no_context_takeover") }
        if options.serverWindowBits < 15 { add("server_max_window_bits", String(options.serverWindowBits)) }
        add("client_max_window_bits", options.clientWindowBits < 15 ? String(options.clientWindowBits) : nil)
        return offer
    }

    /// Reads the server's response to an offer.
    /// - Returns: nil if the response does not correspond to the offer.
    init?(response element: WebSocketExtension, to options: WebSocketCompression) {
        guard let parameters = Parameters(element) else { return nil }
        guard options.serverContextTakeover || parameters.serverNoContextTakeover else { return nil }
        let bits = parameters.serverWindowBits ?? 15
        guard bits <= options.serverWindowBits, parameters.clientWindowBits != 0 else { return nil }
        serverContextTakeover = !parameters.serverNoContextTakeover
        clientContextTakeover = options.clientContextTakeover && !parameters.clientNoContextTakeover
        serverWindowBits = bits
        clientWindowBits = min(parameters.clientWindowBits ?? 15, options.clientWindowBits)
    }

    /// Accepts the first valid one of a client's offers, in the server's role.
    /// - Returns: nil if there is none.
    static func accept(
        _ offers: [WebSocketExtension], _ options: WebSocketCompression
    ) -> (agreement: CompressionAgreement, response: WebSocketExtension)? {
        for offer in offers where offer.name == WebSocketExtension.deflate {
            guard let parameters = Parameters(offer) else { continue }
            let bits = min(parameters.serverWindowBits ?? 15, options.serverWindowBits)
            // zlib has no window of 8 bits.
            guard bits > 8 else { continue }
            var agreement = CompressionAgreement()
            var response = WebSocketExtension(name: WebSocketExtension.deflate)
            if parameters.serverNoContextTakeover || !options.serverContextTakeover {
                agreement.serverContextTakeover = false
                response.parameters.append(.init(name: "server_no_context_takeover", value: nil))
            }
            if parameters.clientNoContextTakeover || !options.clientContextTakeover {
                agreement.clientContextTakeover = false
                response.parameters.append(.init(name: "client_no_context_takeover", value: nil))
            }
            agreement.serverWindowBits = bits
            if bits < 15 { response.parameters.append(.init(name: "server_max_window_bits", value: String(bits))) }
            if let offered = parameters.clientWindowBits {
                let bits = min(offered == 0 ? 15 : offered, options.clientWindowBits)
                agreement.clientWindowBits = bits
                if bits < 15 { response.parameters.append(.init(name: "client_max_window_bits", value: String(bits))) }
            }
            return (agreement, response)
        }
        return nil
    }

    init() {}

    /// The compressor of a side; nil for a window that zlib does not have: messages are then sent uncompressed.
    package func deflater(for role: WebSocketRole, minimumBytes: Int) throws(WebSocketError) -> MessageDeflater? {
        let bits = role == .client ? clientWindowBits : serverWindowBits
        guard bits > 8 else { return nil }
        return try MessageDeflater(
            windowBits: bits, keepsContext: role == .client ? clientContextTakeover : serverContextTakeover,
            minimumBytes: minimumBytes)
    }

    /// The decompressor of a side.
    package func inflater(for role: WebSocketRole) throws(WebSocketError) -> MessageInflater {
        try MessageInflater(keepsContext: role == .client ? serverContextTakeover : clientContextTakeover)
    }
}
