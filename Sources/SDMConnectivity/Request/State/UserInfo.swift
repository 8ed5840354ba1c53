/// Values of the app by key.
///
/// Unchecked, because they may be of any type. They are only stored here.
struct UserInfo: @unchecked Sendable {
    var values: [AnyHashable: Any]?
}
