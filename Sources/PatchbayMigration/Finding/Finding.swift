/// One place in the app's sources that uses a name of an SDK.
package struct Finding: Sendable, Equatable {
    /// The name of the vendor's module.
    package var vendor: String
    /// What the place names, such as `WLClient` or `WLResourceRequest.send(completionHandler:)`.
    package var name: String
    package var verdict: Verdict
    package var file: String
    /// Counted from 1.
    package var line: Int
    /// How the name was recognized.
    var origin: Origin

    /// How a name was recognized; the app's own declarations can rule it out.
    enum Origin: Sendable, Equatable {
        /// By the name itself.
        case name(String)
        /// By the vendor's prefix; the catalogue does not have it.
        case prefix(String)
        /// A member of a type that is evident.
        case member
        /// Such a member that the module does not have.
        case unknownMember(MemberName)
        /// By its selector alone; one that others may have is not the vendor's if the receiver's type is another one.
        case selector(MemberName, receiver: String?)
        case moduleImport
    }
}
