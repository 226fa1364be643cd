"""What a screen reader finds in a process, and its presses.

at_spi.py dump PID          one JSON object a line: role, name, states, description, text
at_spi.py press PID NAME    does the first action of the button or box with that name
at_spi.py portal            stands for the desktop's portal, and wishes for dark windows
"""

import json
import sys


def application(pid):
    import pyatspi

    for application in pyatspi.Registry.getDesktop(0):
        if application is not None and application.get_process_id() == pid:
            return application
    sys.exit("the process is not on the accessibility bus")


def walk(node):
    yield node
    for child in node:
        if child is not None:
            yield from walk(child)


def text(node):
    try:
        whole = node.queryText()
    except NotImplementedError:
        return None
    return whole.getText(0, whole.characterCount)


def dump(pid):
    import pyatspi

    for node in walk(application(pid)):
        states = [pyatspi.stateToString(state) for state in node.getState().getStates()]
        print(json.dumps({
            "role": node.getRoleName(), "name": node.name, "states": states,
            "description": node.description, "text": text(node),
        }, ensure_ascii=False))


def press(pid, name):
    pressed = ("push button", "button", "check box", "radio button")
    for node in walk(application(pid)):
        if node.name == name and node.getRoleName() in pressed:
            node.queryAction().doAction(0)
            return
    sys.exit("nothing with that name can be pressed")


def portal():
    from gi.repository import Gio, GLib

    interface = Gio.DBusNodeInfo.new_for_xml("""<node>
      <interface name="org.freedesktop.portal.Settings">
        <method name="Read"><arg type="s" direction="in"/><arg type="s" direction="in"/>
          <arg type="v" direction="out"/></method>
        <signal name="SettingChanged"><arg type="s"/><arg type="s"/><arg type="v"/></signal>
      </interface></node>""").interfaces[0]
    wishes = {"color-scheme": 1, "contrast": 0}

    def call(bus, sender, path, name, method, arguments, invocation):
        wish = GLib.Variant("v", GLib.Variant("u", wishes[arguments.unpack()[1]]))
        invocation.return_value(GLib.Variant("(v)", (wish,)))

    def acquired(bus, name):
        bus.register_object("/org/freedesktop/portal/desktop", interface, call, None, None)
        print("ready", flush=True)

    Gio.bus_own_name(Gio.BusType.SESSION, "org.freedesktop.portal.Desktop",
                     Gio.BusNameOwnerFlags.NONE, acquired, None, None)
    GLib.MainLoop().run()


match sys.argv[1:]:
    case ["dump", pid]:
        dump(int(pid))
    case ["press", pid, name]:
        press(int(pid), name)
    case ["portal"]:
        portal()
    case _:
        sys.exit(__doc__)
