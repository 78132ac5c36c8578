// Answers dalembert over standard input and output. C++17, no dependency; main.cpp shows the use.
//
// What your code prints to standard output goes to standard error, because standard output is for the protocol. An exception
// fails the request with its text; dalembert::unsupported("why") says that your code does not have something.
// Numbers are exchanged as little-endian float64, which are copied as they are.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#else
#include <unistd.h>
#endif

namespace dalembert {

constexpr int VERSION = 1;  // of the protocol

constexpr std::array<double, 4> GUARD = {1.7e-103, -3.1e207, 9.3e-211, 5.5e101};  // numbers that nobody writes

class Unsupported : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Say that your code does not have a mechanism, a joint or a quantity. This is no failure.
[[noreturn]] inline void unsupported(const std::string &reason) { throw Unsupported(reason); }

using Vector = std::array<double, 3>;
using Matrix = std::array<double, 9>;  // 3x3, row by row

/// Two frames that coincide in some directions.
struct Constraint {
    std::string name;
    int first, second;                    // the index of the body that has the frame, -1 for the root
    std::vector<std::string> directions;  // "wx" to "vz": its rows of the constraint Jacobian, in this order
};

/// A tree of bodies, parents first. Entry i of every list belongs to body i and to the joint that carries it.
///
/// A joint's frame sits in the parent body's frame, and a body's frame coincides with its joint's frame where q is zero.
struct Mechanism {
    std::string name, root;
    std::vector<std::string> bodies, joints, kinds;
    std::vector<int> parents;                   // the index of the parent body, -1 for the root, which does not move
    std::vector<std::size_t> q_start, v_start;  // where the joint's numbers begin in q and in v
    std::size_t nq = 0, nv = 0;                 // the lengths of q and of v
    std::map<std::string, std::vector<double>> arrays;  // all numbers, row by row
    std::string urdf;               // the text of a URDF file, if your program asks for it and URDF can describe the mechanism
    bool urdf_is_original = false;  // whether it is the file that was read, and not one that was written
    bool urdf_free_base = false;    // whether the file's root link is on a free joint, which the file does not say
    std::vector<Constraint> constraints;  // if your program has a quantity of constraints

    std::size_t size() const { return bodies.size(); }
    Vector axis(std::size_t i) const { return at<3>("axes", i); }                // unit vector, in the joint's frame
    Matrix rotation(std::size_t i) const { return at<9>("rotations", i); }       // from the joint's frame to the parent's
    Vector translation(std::size_t i) const { return at<3>("translations", i); }  // the joint's origin in the parent's frame (m)
    double mass(std::size_t i) const { return at<1>("masses", i)[0]; }           // kg
    Vector com(std::size_t i) const { return at<3>("coms", i); }                 // the centre of mass in the body's frame (m)
    Matrix inertia(std::size_t i) const { return at<9>("inertias", i); }  // about the centre of mass, body's frame (kg m^2)
    double armature(std::size_t i) const { return at<1>("armature", i)[0]; }     // kg m^2 or kg
    double damping(std::size_t i) const { return at<1>("damping", i)[0]; }       // N m s or N s/m
    Vector gravity() const { return at<3>("gravity", 0); }                       // in the root's frame (m/s^2)
    std::array<double, 6> screw(std::size_t k) const { return at<6>("screws", k); }  // the twist [w; v] of component k of v
    // The frames of constraint i: from the frame's axes to those of its body, and the origin in the frame of its body (m).
    Matrix first_rotation(std::size_t i) const { return at<9>("first_rotations", i); }
    Vector first_translation(std::size_t i) const { return at<3>("first_translations", i); }
    Matrix second_rotation(std::size_t i) const { return at<9>("second_rotations", i); }
    Vector second_translation(std::size_t i) const { return at<3>("second_translations", i); }

private:
    template <std::size_t N> std::array<double, N> at(const char *array, std::size_t i) const {
        std::array<double, N> numbers;
        for (std::size_t k = 0; k < N; ++k) numbers[k] = arrays.at(array).at(N * i + k);
        return numbers;
    }
};

/// One state. A pointer is null where the quantity does not take this argument.
///
/// With Eigen, no number is copied: Eigen::Map<const Eigen::VectorXd> q(state.q, state.nq). An answer with rows and columns is
/// Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> M(answer, state.nv, state.nv).
struct State {
    const double *q = nullptr, *v = nullptr, *a = nullptr, *tau = nullptr;  // nq, nv, nv and nv numbers
    const double *f = nullptr;               // bodies x 6, the forces [n; f] on the bodies
    const double *v_minus = nullptr;         // nv, the velocity before an impact
    const double *dv = nullptr;              // nv, the velocity along which q is integrated
    const double *to = nullptr;              // nq, a second position
    std::size_t nq = 0, nv = 0, bodies = 0;  // of the mechanism
};

namespace detail {

class Broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A JSON value. Numbers stay text: the protocol has whole numbers here, and all others come as bytes.
struct Value {
    enum Kind { null, boolean, number, string, array, object } kind = null;
    std::string text;
    std::vector<std::string> names;  // of the members of an object
    std::vector<Value> items;

    const Value *find(const std::string &name) const {
        for (std::size_t k = 0; k < names.size(); ++k)
            if (names[k] == name) return &items[k];
        return nullptr;
    }
    const Value &at(const std::string &name) const {
        const Value *found = find(name);
        if (!found) throw Broken("it lacks \"" + name + "\"");
        return *found;
    }
    const std::string &as_text() const {
        if (kind != string) throw Broken("a text is expected where there is none");
        return text;
    }
    long long as_integer() const {
        long long whole = 0;
        const char *end = text.data() + text.size();
        if (kind != number || std::from_chars(text.data(), end, whole).ptr != end) throw Broken("a whole number is expected");
        return whole;
    }
    std::size_t as_size() const {
        const long long whole = as_integer();
        if (whole < 0) throw Broken("a number is negative");
        return static_cast<std::size_t>(whole);
    }
    std::vector<std::string> as_texts() const { return each<std::string>([](const Value &item) { return item.as_text(); }); }
    std::vector<std::size_t> as_sizes() const { return each<std::size_t>([](const Value &item) { return item.as_size(); }); }
    template <class T, class F> std::vector<T> each(F convert) const {
        if (kind != array) throw Broken("a list is expected where there is none");
        std::vector<T> all;
        for (const Value &item : items) all.push_back(convert(item));
        return all;
    }
};

inline void append_utf8(std::string &text, std::uint32_t c) {
    const auto byte = [&text](std::uint32_t b) { text += static_cast<char>(b); };
    if (c < 0x80) {
        byte(c);
    } else if (c < 0x800) {
        byte(0xC0 | (c >> 6)), byte(0x80 | (c & 63));
    } else if (c < 0x10000) {
        byte(0xE0 | (c >> 12)), byte(0x80 | ((c >> 6) & 63)), byte(0x80 | (c & 63));
    } else {
        byte(0xF0 | (c >> 18)), byte(0x80 | ((c >> 12) & 63)), byte(0x80 | ((c >> 6) & 63)), byte(0x80 | (c & 63));
    }
}

/// Reads one JSON text, by the letter of RFC 8259.
class Reader {
public:
    explicit Reader(const std::string &line) : line_(line) {}

    Value document() {
        Value whole = value(0);
        skip();
        if (at_ != line_.size()) fail();
        return whole;
    }

private:
    static constexpr int DEEPEST = 64;
    const std::string &line_;
    std::size_t at_ = 0;

    [[noreturn]] void fail() const { throw Broken("it is not JSON at byte " + std::to_string(at_)); }
    char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
    bool take(char c) { return peek() == c && at_ < line_.size() ? (++at_, true) : false; }
    void skip() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n') ++at_;
    }
    void word(const char *letters) {
        for (; *letters; ++letters)
            if (!take(*letters)) fail();
    }

    Value value(int depth) {
        if (depth > DEEPEST) fail();
        skip();
        Value v;
        switch (peek()) {
        case '{': list(v, Value::object, '}', depth); break;
        case '[': list(v, Value::array, ']', depth); break;
        case '"': v.kind = Value::string, v.text = string(); break;
        case 't': v.kind = Value::boolean, v.text = "true", word("true"); break;
        case 'f': v.kind = Value::boolean, v.text = "false", word("false"); break;
        case 'n': word("null"); break;
        default: v.kind = Value::number, v.text = number();
        }
        return v;
    }

    void list(Value &v, Value::Kind kind, char close, int depth) {
        v.kind = kind;
        ++at_;
        skip();
        if (take(close)) return;
        do {
            if (kind == Value::object) {
                skip();
                v.names.push_back(string());
                skip();
                if (!take(':')) fail();
            }
            v.items.push_back(value(depth + 1));
            skip();
        } while (take(','));
        if (!take(close)) fail();
    }

    void digits() {
        if (peek() < '0' || peek() > '9') fail();
        while (peek() >= '0' && peek() <= '9') ++at_;
    }

    std::string number() {
        const std::size_t start = at_;
        take('-');
        if (!take('0')) digits();
        if (take('.')) digits();
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            digits();
        }
        return line_.substr(start, at_ - start);
    }

    std::uint32_t hex4() {
        std::uint32_t c = 0;
        for (int k = 0; k < 4; ++k, ++at_) {
            const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(peek());
            if (digit == std::string_view::npos) fail();
            c = 16 * c + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
        }
        return c;
    }

    std::string string() {
        if (!take('"')) fail();
        std::string text;
        while (!take('"')) {
            if (at_ >= line_.size() || static_cast<unsigned char>(line_[at_]) < 0x20) fail();
            const char c = line_[at_++];
            if (c != '\\') {
                text += c;
                continue;
            }
            switch (const char e = peek(); ++at_, e) {
            case '"': case '\\': case '/': text += e; break;
            case 'b': text += '\b'; break;
            case 'f': text += '\f'; break;
            case 'n': text += '\n'; break;
            case 'r': text += '\r'; break;
            case 't': text += '\t'; break;
            case 'u': append_utf8(text, escaped()); break;
            default: --at_, fail();
            }
        }
        return text;
    }

    /// The character after \u. Half of a surrogate pair is no character, and becomes U+FFFD.
    std::uint32_t escaped() {
        const std::uint32_t high = hex4();
        if (high < 0xD800 || high > 0xDFFF) return high;
        if (high > 0xDBFF || line_.compare(at_, 2, "\\u") != 0) return 0xFFFD;
        const std::size_t before = at_;
        at_ += 2;
        const std::uint32_t low = hex4();
        if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        at_ = before;
        return 0xFFFD;
    }
};

/// The length of the UTF-8 character at the beginning of `text`, 0 if there is none.
inline std::size_t utf8_length(const unsigned char *text, std::size_t left) {
    const unsigned char c = text[0];
    if (c < 0x80) return 1;
    const std::size_t length = c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (length == 0 || length > left) return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((text[k] & 0xC0) != 0x80) return 0;
    // Longer than need be, half of a surrogate pair, or beyond U+10FFFF.
    const unsigned char lowest = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80, highest = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    return text[1] < lowest || text[1] > highest ? 0 : length;
}

/// `text` as JSON. Bytes that are no UTF-8 become U+FFFD.
inline std::string quoted(const std::string &text) {
    std::string json = "\"";
    const auto *bytes = reinterpret_cast<const unsigned char *>(text.data());
    for (std::size_t k = 0; k < text.size();) {
        const std::size_t length = utf8_length(bytes + k, text.size() - k);
        if (length == 1 && (bytes[k] < 0x20 || bytes[k] == '"' || bytes[k] == '\\')) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(bytes[k]));
            json += escape;
        } else if (length > 0) {
            json.append(text, k, length);
        } else {
            json += "\\ufffd";
        }
        k += length > 0 ? length : 1;
    }
    return json + "\"";
}

template <class Names> std::string quoted_list(const Names &names) {
    std::string json = "[";
    for (const auto &name : names) json += (json.size() > 1 ? "," : "") + quoted(name);
    return json + "]";
}

using Arrays = std::vector<std::pair<std::string, std::vector<double>>>;

/// Standard input and output, kept for the protocol.
class Transport {
public:
    Transport() {
        std::fflush(stdout);
#ifdef _WIN32
        in_ = _fdopen(_dup(0), "rb"), out_ = _fdopen(_dup(1), "wb");
        _setmode(_fileno(in_), _O_BINARY), _setmode(_fileno(out_), _O_BINARY);
        const bool redirected = _dup2(2, 1) >= 0;
#else
        in_ = fdopen(dup(0), "rb"), out_ = fdopen(dup(1), "wb");
        const bool redirected = dup2(2, 1) >= 0;
#endif
        if (!in_ || !out_ || !redirected) throw Broken("standard input, output or error is closed");
    }
    ~Transport() {
        if (in_) std::fclose(in_);
        if (out_) std::fclose(out_);
    }
    Transport(const Transport &) = delete;
    Transport &operator=(const Transport &) = delete;

    /// The next line; false at the end of the input.
    bool line(std::string &text) {
        text.clear();
        for (int c; (c = std::getc(in_)) != EOF;) {
            if (c == '\n') return true;
            if (text.size() == LONGEST) throw Broken("it is longer than " + std::to_string(LONGEST) + " bytes");
            text += static_cast<char>(c);
        }
        if (!text.empty()) throw Broken("it has no end");
        return false;
    }

    /// The arrays that follow a request, in their order.
    Arrays arrays(const Value &request) {
        Arrays all;
        if (const Value *list = request.find("arrays"))
            for (const Value &entry : list->items) {
                std::vector<double> numbers(product(entry.at("shape").as_sizes()));
                if (std::fread(numbers.data(), sizeof(double), numbers.size(), in_) != numbers.size())
                    throw Broken("the input ends inside its numbers");
                all.emplace_back(entry.at("name").as_text(), std::move(numbers));
            }
        return all;
    }

    void reply(const std::string &json, const std::vector<double> &numbers) {
        const std::string text = json + "\n";
        std::fwrite(text.data(), 1, text.size(), out_);
        if (!numbers.empty()) std::fwrite(numbers.data(), sizeof(double), numbers.size(), out_);
        if (std::fflush(out_) != 0) throw Broken("nobody reads the replies");
    }

    static std::size_t product(const std::vector<std::size_t> &shape) {
        std::size_t count = 1;
        for (const std::size_t n : shape) {
            if (n != 0 && count > MOST / n) throw Broken("it announces too many numbers");
            count *= n;
        }
        return count;
    }

private:
    static constexpr std::size_t LONGEST = std::size_t(1) << 28;                                    // bytes of a line
    static constexpr std::size_t MOST = std::numeric_limits<std::uint32_t>::max() / sizeof(double);  // numbers of an array
    std::FILE *in_ = nullptr, *out_ = nullptr;
};

inline Mechanism mechanism(const Value &header, Arrays arrays) {
    Mechanism m;
    m.name = header.at("name").as_text(), m.root = header.at("root").as_text();
    m.bodies = header.at("bodies").as_texts(), m.joints = header.at("joints").as_texts(), m.kinds = header.at("kinds").as_texts();
    m.parents = header.at("parents").each<int>([](const Value &item) { return static_cast<int>(item.as_integer()); });
    m.q_start = header.at("q_start").as_sizes(), m.v_start = header.at("v_start").as_sizes();
    m.nq = header.at("nq").as_size(), m.nv = header.at("nv").as_size();
    if (const Value *urdf = header.find("urdf")) {
        m.urdf = urdf->at("text").as_text();
        m.urdf_is_original = urdf->at("original").text == "true", m.urdf_free_base = urdf->at("free_base").text == "true";
    }
    if (const Value *constraints = header.find("constraints"))
        m.constraints = constraints->each<Constraint>([](const Value &one) {
            return Constraint{one.at("name").as_text(), static_cast<int>(one.at("first").as_integer()),
                              static_cast<int>(one.at("second").as_integer()), one.at("directions").as_texts()};
        });
    for (auto &[name, numbers] : arrays) m.arrays[name] = std::move(numbers);
    return m;
}

}  // namespace detail

/// Your program. `Model` is what your code makes of a mechanism.
template <class Model> class Program {
public:
    Program(std::string name, std::string version) : name_(std::move(name)), version_(std::move(version)) {}

    /// The kinds of joints that your code has; all, if this is empty.
    std::vector<std::string> joints;
    /// The conventions that differ from dalembert's, such as {"quaternion", "wxyz"}.
    std::map<std::string, std::string> conventions;
    /// Whether every mechanism shall come with a URDF file.
    bool wants_urdf = false;
    /// For code that knows one robot: its name or the path of its URDF file; "" for the mechanism of the run.
    std::optional<std::string> robot;
    /// The precision of your code, if it is not float64: "float32", "float16", "bfloat16" or fixed point, as "q15.16".
    std::optional<std::string> precision;
    std::function<Model(const Mechanism &)> load;
    /// The names of the joints in your code's order, if it has one of its own.
    std::function<std::vector<std::string>(Model &)> joint_order;
    /// By the name of the quantity, your function of one state. The answer is zero at first; write it row by row.
    std::map<std::string, std::function<void(Model &, const State &, double *answer)>> quantities;

    /// Answer requests until dalembert ends. Return this from main.
    int serve() {
        try {
            detail::Transport io;
            for (std::string line; io.line(line);) {
                const detail::Value request = detail::Reader(line).document();
                detail::Arrays arrays = io.arrays(request);
                if (request.at("do").as_text() == "end") return 0;
                const std::string id = "{\"id\":" + std::to_string(request.at("id").as_size());
                std::vector<double> answer;
                const std::string reply = answered(request, std::move(arrays), answer);
                io.reply(id + reply + "}", answer);
            }
            return 0;
        } catch (const detail::Broken &error) {
            const std::string what = ": standard input has a line that is no request of dalembert: ";
            std::fputs((name_ + what + error.what() + "\n").c_str(), stderr);
            return 2;
        }
    }

private:
    std::string name_, version_;
    struct Loaded {
        std::unique_ptr<Model> model;
        std::size_t nq, nv, bodies;
    };
    std::map<std::size_t, Loaded> loaded_;

    /// The reply but for its id, and the numbers that follow it.
    std::string answered(const detail::Value &request, detail::Arrays arrays, std::vector<double> &answer) {
        try {
            const std::string &what = request.at("do").as_text();
            if (what == "hello") return hello();
            if (what == "load") return loaded(request, std::move(arrays));
            if (what == "evaluate") return evaluated(request, arrays, answer);
            if (what == "forget") return loaded_.erase(request.at("model").as_size()), "";
            throw Unsupported("there is no request called " + what);
        } catch (const Unsupported &reason) {
            answer.clear();
            return ",\"unsupported\":" + detail::quoted(cut(reason.what()));
        } catch (const detail::Broken &) {
            throw;
        } catch (const std::exception &error) {
            answer.clear();
            return ",\"error\":" + detail::quoted(cut(error.what()));
        } catch (...) {
            answer.clear();
            return ",\"error\":\"something was thrown that is no std::exception\"";
        }
    }

    static std::string cut(const std::string &text) { return text.substr(0, 4000); }

    std::string hello() const {
        std::vector<std::string> names;
        for (const auto &quantity : quantities) names.push_back(quantity.first);
        std::string json = ",\"dalembert\":" + std::to_string(VERSION) + ",\"name\":" + detail::quoted(name_);
        json += ",\"version\":" + detail::quoted(version_) + ",\"language\":\"C++\",\"numbers\":\"raw\"";
        json += std::string(",\"urdf\":") + (wants_urdf ? "true" : "false") + ",\"quantities\":" + detail::quoted_list(names);
        if (!joints.empty()) json += ",\"joints\":" + detail::quoted_list(joints);
        if (robot) json += ",\"robot\":" + detail::quoted(*robot);
        if (precision) json += ",\"precision\":" + detail::quoted(*precision);
        std::string members;
        for (const auto &[name, value] : conventions)
            members += (members.empty() ? "" : ",") + detail::quoted(name) + ":" + detail::quoted(value);
        return json + ",\"conventions\":{" + members + "}";
    }

    std::string loaded(const detail::Value &request, detail::Arrays arrays) {
        const Mechanism mechanism = detail::mechanism(request.at("mechanism"), std::move(arrays));
        for (const std::string &kind : mechanism.kinds) {
            bool has = joints.empty();
            for (const std::string &own : joints) has = has || own == kind;
            if (!has) unsupported("it has no " + kind + " joint");
        }
        std::unique_ptr<Model> model(new Model(load(mechanism)));
        const std::string order = joint_order ? ",\"joints\":" + detail::quoted_list(joint_order(*model)) : "";
        loaded_[request.at("model").as_size()] = {std::move(model), mechanism.nq, mechanism.nv, mechanism.size()};
        return order;
    }

    std::string evaluated(const detail::Value &request, const detail::Arrays &arrays, std::vector<double> &answer) {
        const std::string &quantity = request.at("quantity").as_text();
        const auto function = quantities.find(quantity);
        const auto found = loaded_.find(request.at("model").as_size());
        if (function == quantities.end()) unsupported("it has no " + quantity);
        if (found == loaded_.end()) throw std::runtime_error("no such model is loaded");
        const Loaded &loaded = found->second;
        static const std::map<std::string, const double *State::*> arguments = {
            {"q", &State::q}, {"v", &State::v}, {"a", &State::a}, {"tau", &State::tau}, {"f", &State::f},
            {"v_minus", &State::v_minus}, {"dv", &State::dv}, {"to", &State::to}};
        State state;
        state.nq = loaded.nq, state.nv = loaded.nv, state.bodies = loaded.bodies;
        const std::vector<std::size_t> shape = request.at("shape").as_sizes();
        answer.assign(detail::Transport::product(shape), 0.0);
        const std::size_t states = request.at("states").as_size(), size = states ? answer.size() / states : 0;
        for (std::size_t k = 0; k < states; ++k) {
            for (const auto &[name, numbers] : arrays) {
                const bool is_position = name == "q" || name == "to";
                const std::size_t length = is_position ? state.nq : name == "f" ? 6 * state.bodies : state.nv;
                if (numbers.size() != states * length) throw detail::Broken("there are not as many " + name + " as states");
                state.*arguments.at(name) = numbers.data() + k * length;
            }
            // Every answer has room of its own, and a guard behind it.
            std::vector<double> room(size, 0.0);
            room.insert(room.end(), GUARD.begin(), GUARD.end());
            function->second(*loaded.model, state, room.data());
            if (!std::equal(GUARD.begin(), GUARD.end(), room.begin() + static_cast<std::ptrdiff_t>(size)))
                throw std::runtime_error("it writes past the end of its answer, which has " + std::to_string(size) + " numbers");
            std::copy_n(room.begin(), size, answer.begin() + static_cast<std::ptrdiff_t>(k * size));
        }
        std::string dimensions;
        for (const std::size_t n : shape) dimensions += (dimensions.empty() ? "" : ",") + std::to_string(n);
        return ",\"arrays\":[{\"name\":" + detail::quoted(quantity) + ",\"shape\":[" + dimensions + "]}]";
    }
};

}  // namespace dalembert
